// Package opencl is the run-time model of OpenCL 3.0 over package simtc: one platform with the
// processor as its device, contexts, command queues, events, memory objects, programs and
// kernels. Its errors have the codes of the specification. Package driver gives it the C
// interface.
//
// Functions that take pointers of the application follow the specification's rules for them:
// the memory must have the size that is passed. Everything else is checked.
//
// It must be free of C and of code generation.
package opencl
