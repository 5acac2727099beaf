// Package defaulthost selects the default WebAssembly engine: wasmtime if it can be linked
// (cgo, a platform with a prebuilt library, and no build tag nowasmtime), else wazero. It is separate from wasmhost
// so that a program with its own engine links neither.
package defaulthost
