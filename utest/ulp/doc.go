// Package ulp measures how far the results of OpenCL's math functions lie from
// the exact ones, in units in the last place (OpenCL C 1.2 §7.4): it runs a
// kernel that applies the function to many arguments, and compares with a
// reference of higher precision.
//
// One row of Functions describes a function; the tests, the command in cmd/ulp
// and the recorded maxima (measured.tsv) follow from the table.
//
// It knows the public interface of the compiler only.
package ulp
