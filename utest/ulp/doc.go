// Package ulp measures the errors of OpenCL's math functions in units in the last place
// (OpenCL C 1.2 §7.4): it runs a kernel that applies the function to many arguments, and
// compares the results with a reference of higher precision.
//
// A row of Functions describes a function; the tests, the command in cmd/ulp and the recorded
// maxima (measured.tsv) follow from the table.
//
// The package uses only the public interface of the compiler.
package ulp
