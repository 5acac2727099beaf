package vir

// The launch context is a block of 64-bit fields in memory. Its address is the only
// parameter of the code on every target. The constants are byte offsets of fields. A
// target with 32-bit addresses uses the low half of address fields.
const (
	CtxStart        = 0   // [3] global ID of the first work-item; y and z are constant during the run
	CtxCount        = 24  // work-items to run along dimension 0, at least 1
	CtxLocalStart   = 32  // [3] local ID of the first work-item; 0 if Func.Groups is set
	CtxGroup        = 56  // [3] group ID
	CtxGlobalSize   = 80  // [3]
	CtxLocalSize    = 104 // [3]
	CtxNumGroups    = 128 // [3]
	CtxGlobalOffset = 152 // [3]
	CtxWorkDim      = 176
	CtxArgs         = 184 // address of the argument block
	CtxScratch      = 192 // address of this worker's private memory, 64-byte aligned; native code spills below it
	CtxData         = 200 // address of a table of addresses, one per module Data (see kernel.Place)
	CtxGroups       = 208 // work-groups to run along dimension 0, at least 1, if Func.Groups is set
	CtxRows         = 208 // rows to run along dimension 1 in code that runs several, if Func.Groups is not set
	CtxFuel         = 216 // WASM code: loop iterations until the next check of CtxStop
	CtxStop         = 224 // set by the host while WASM code runs: stop at the next check
	CtxStatus       = 232 // set by the code: 0 finished, StatusStopped or greater stopped early
	CtxProfile      = 240 // profiled code: address of this worker's counters, see ProfileSlot
	CtxLocal        = 248 // address of the local memory of the group, 128-byte aligned
	CtxSink         = 256 // [16 bytes] scratch that code may overwrite, for the stores of inactive lanes
	CtxState        = 272 // [kernel.StateSize bytes] words of the group's state
	CtxLocalBytes   = 304 // bytes at CtxLocal, those of arguments included; only kernels that test pointers read it (kernel.InLocal)
	CtxLanes        = 320 // [MaxLanes] words for exchanging values between lanes of a sub-group, 64-byte aligned
	CtxSize         = CtxLanes + 8*MaxLanes
)

// StatusStopped plus the number of the point where it stopped is the CtxStatus of WASM
// code that stopped early.
const StatusStopped = 1

// IsPrivateBase reports whether v is the address of the worker's private memory.
func IsPrivateBase(v *Value) bool {
	return v.Op == Load && v.Invariant && v.Args[0].Op == Context && v.Disp == CtxScratch
}

// IsArguments reports whether v is the address of the argument block.
func IsArguments(v *Value) bool {
	return v.Op == Load && v.Invariant && v.Args[0].Op == Context && v.Disp == CtxArgs
}

// MaxLanes is the maximum number of lanes of a sub-group.
const MaxLanes = 64

// Counters of profiled code: for each block of the kernel the number of executions and
// the sum of active lanes over them, two 64-bit numbers.
const (
	ProfileRuns  = 0
	ProfileLanes = 8
	ProfileSlot  = 16 // bytes per block
)
