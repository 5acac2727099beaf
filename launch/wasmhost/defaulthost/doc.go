// Package defaulthost picks the WebAssembly engine of a program: wasmtime where
// it can be linked (cgo, and a system it has a library for), else wazero.
// It is apart from wasmhost so that a program that brings its own engine links
// neither.
package defaulthost
