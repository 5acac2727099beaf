package opencl

import (
	"errors"
	"fmt"

	"github.com/simtc/simtc/opencl/cl"
)

// Error is an error of the API.
type Error struct {
	Code int // cl.INVALID_VALUE and others
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("%s (error %d)", e.Text, e.Code) }

// fail returns an Error.
func fail(code int, format string, args ...any) error {
	return &Error{code, fmt.Sprintf(format, args...)}
}

// CodeOf returns the code that reports err: cl.SUCCESS for nil.
func CodeOf(err error) int {
	var e *Error
	switch {
	case err == nil:
		return cl.SUCCESS
	case errors.As(err, &e):
		return e.Code
	}
	return cl.OUT_OF_RESOURCES
}
