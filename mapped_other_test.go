//go:build !linux

package simtc_test

import "testing"

// mapped returns memory of the given size.
func mapped(_ *testing.T, bytes int) []byte { return make([]byte, bytes) }
