package native

import (
	"context"
	"golang.org/x/sys/windows"
	"sync"
)

// guardPage is an address without access for the rest of the process.
var guardPage = sync.OnceValue(func() uintptr {
	page, err := windows.VirtualAlloc(0, 4096, windows.MEM_COMMIT|windows.MEM_RESERVE, windows.PAGE_NOACCESS)
	if err != nil {
		panic(err)
	}
	return page
})

// interruptible is the number of iterations of the torture code, of about 3 ns each, within
// which the ticker interrupts it.
const interruptible = 2_000_000

// storm does nothing: there are no signals.
func storm(context.Context) {}
