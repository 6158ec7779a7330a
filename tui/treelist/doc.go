// Package treelist reads folders of any fswatch.FS into listings of the tree: sorted, with
// marks for what changed and for what .gitignore names. All of it may take its time and is
// done away from the screen's goroutine.
//
// It must not know what is done with the listings.
package treelist
