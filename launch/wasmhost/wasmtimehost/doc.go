// Package wasmtimehost runs WebAssembly in wasmtime. It requires cgo; without cgo, or on
// platforms without a prebuilt wasmtime library, it is empty.
//
// Calls and memory use wasmtime's C API directly: a call costs a tenth of one through the Go
// wrappers, which also lack shared memory.
//
// It must be free of knowledge of the code's purpose and of other engines.
package wasmtimehost
