// Package utest holds the end-to-end tests: whole OpenCL C sources compiled
// and run on every target through the public API.
//
//	kernels/   sources with run lines and the checksums their buffers must have
//	broken/    sources with one error each, and the line it must be reported on
//	fuzz/      random kernels, compared between the targets
//	bench/     times against an OpenCL driver
//
// The tests lie in this folder. They must not look into the stages of the
// compiler, except to run an engine that the public API does not choose.
//
// # NaN
//
// A checksum is over the bits of a buffer, and the bits of a NaN that an
// operation makes are not defined: engines differ in sign and payload. Kernels
// here do not store such NaNs; where one may come up they store a
// classification of it or a canonical pattern. So checksums hold on every
// target without exception. Tests that compare buffers by value (random ranges,
// the fuzzers) let any NaN stand for any other.
package utest
