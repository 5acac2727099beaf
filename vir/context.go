package vir

// The launch context: a block of 64-bit fields in memory whose address is the
// only parameter of the code, on every target. Fields are offsets in bytes.
// A target with 32-bit addresses uses the low half of address fields.
const (
	CtxStart        = 0   // [3] global id of the first work-item; y and z hold for the whole run
	CtxCount        = 24  // work-items to run along dimension 0, at least 1
	CtxLocalStart   = 32  // [3] local id of the first work-item; 0 where Func.Groups is set
	CtxGroup        = 56  // [3] group id
	CtxGlobalSize   = 80  // [3]
	CtxLocalSize    = 104 // [3]
	CtxNumGroups    = 128 // [3]
	CtxGlobalOffset = 152 // [3]
	CtxWorkDim      = 176
	CtxArgs         = 184 // address of the argument block
	CtxScratch      = 192 // address of this worker's private memory, 64-byte aligned; below it native code spills
	CtxData         = 200 // address of a table of addresses, one for each module Data (see kernel.Place)
	CtxGroups       = 208 // work-groups to run along dimension 0, at least 1, where Func.Groups is set
	CtxRows         = 208 // rows to run along dimension 1 by code that runs several, where it is not set
	CtxFuel         = 216 // WASM code: loop iterations until it offers to stop
	CtxStop         = 224 // set by the host while WASM code runs: stop at the next offer
	CtxStatus       = 232 // set by the code: 0 done, StatusStopped or more stopped early
	CtxProfile      = 240 // profiled code: address of this worker's counters, see ProfileSlot
	CtxLocal        = 248 // address of the local memory of the group, 128-byte aligned
	CtxSink         = 256 // [16 bytes] WASM code may write anything here, as its inactive lanes do
	CtxState        = 272 // [kernel.StateSize bytes] words of the group's state
	CtxLanes        = 320 // [MaxLanes] words that lanes of a sub-group exchange values by, 64-byte aligned
	CtxSize         = CtxLanes + 8*MaxLanes
)

// StatusStopped is what WASM code that stopped early puts into CtxStatus, plus the number of
// the place where it was.
const StatusStopped = 1

// IsPrivateBase reports whether v is the address of the worker's private memory.
func IsPrivateBase(v *Value) bool {
	return v.Op == Load && v.Invariant && v.Args[0].Op == Context && v.Disp == CtxScratch
}

// MaxLanes is how many lanes a sub-group may have.
const MaxLanes = 64

// Counters of profiled code: for each block of the kernel how often it ran and
// how many lanes were active then, added up, two 64-bit numbers.
const (
	ProfileRuns  = 0
	ProfileLanes = 8
	ProfileSlot  = 16 // bytes for each block
)
