// Package utest holds the end-to-end tests: whole OpenCL C sources are compiled and run
// on every target through the public API.
//
//	kernels/   sources with run lines and the expected checksums of their buffers
//	broken/    sources with one error each, and the line where it must be reported
//	fuzz/      random kernels, compared between the targets
//	bench/     run times compared with those of an OpenCL driver
//
// The tests are in this folder. They must not use the stages of the compiler directly,
// except to run an engine that the public API does not choose.
//
// # NaN
//
// A checksum covers the bits of a buffer, and the bits of a NaN produced by an operation
// are unspecified: engines differ in sign and payload. Kernels here do not store such
// NaNs; where one may occur, they store its classification or a canonical bit pattern.
// The checksums therefore hold on every target without exception. Tests that compare
// buffers by value (random ranges, the fuzzers) treat all NaNs as equal.
package utest
