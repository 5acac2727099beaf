//go:build cgo

package wasmtimehost

// canReserve is true: Windows limits what is committed, not what is reserved.
func canReserve(int) bool { return true }
