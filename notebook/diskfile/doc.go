// Package diskfile reads a file and saves it so that nothing is lost: not the old
// content before the new one is safe on disk, not mode, owner and links, not what
// another program wrote meanwhile, and not the new content where saving fails.
//
// It knows files and folders. It must not know what is in them.
package diskfile
