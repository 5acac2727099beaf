// Package kernels holds the kernels of the end-to-end tests, for programs that
// run them elsewhere.
package kernels

import "embed"

// Files are the sources.
//
//go:embed *.cl
var Files embed.FS
