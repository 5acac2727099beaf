// Package wasmtimehost runs WebAssembly under wasmtime. It is the one package
// that needs cgo for it; without cgo, or where wasmtime has no prebuilt
// library, it is empty.
//
// Calls and memory go to wasmtime's C API directly: a call costs a tenth of
// what it does through the Go wrappers, and those have no shared memory.
//
// It must not know what the code computes, nor other engines.
package wasmtimehost
