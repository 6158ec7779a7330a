// Package mime holds what a cell puts out: MIME bundles, stream texts and errors, as
// nbformat 4 and the Jupyter messaging protocol both describe them.
//
// Values stay the JSON they arrived as (rawjson.Value), so that numbers keep their
// spelling and nothing is decoded that no one looks at. The package is a leaf: it knows
// neither documents nor kernels nor how anything is drawn.
package mime
