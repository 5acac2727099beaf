// Package cl has the constants of the OpenCL API and the table of its functions.
package cl

// Function is a function of the API.
type Function struct {
	Name      string
	Version   string // the first version of OpenCL with it; "" for extensions
	Extension string // that it belongs to
	Returns   Returns
	Params    int
}

// Returns says how a function reports errors.
type Returns uint8

const (
	Status  Returns = iota // it returns an error code
	Object                 // it returns an object, and the code through its last parameter
	Pointer                // it returns a pointer, null for errors
	Nothing
)
