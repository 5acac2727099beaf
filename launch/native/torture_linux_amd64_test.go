package native

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets/avx512/frame"
)

// Context of the torture code: frame address, iterations, then a dump of every
// register, which the code loads first and stores last.
const (
	tortureIterations = 8
	tortureVectors    = 64
	tortureMasks      = tortureVectors + 64*frame.VectorCount
	tortureGPRs       = tortureMasks + 8*frame.MaskCount
	tortureSize       = tortureGPRs + 8*frame.GPRCount
)

// ownGPRs are the general registers whose values belong to the code.
var ownGPRs = []int{rax, rcx, rdx, rbx, rbp, rsi, r8, 9, 10, 11, 12, 13, rdi}

// torture is code that adds every register to its neighbour in a loop, so that
// one register damaged once spoils the dump at the end.
func torture() Image {
	a := newAssembler()
	a.enterFrame()
	a.load(rax, rdi, tortureIterations)
	a.store(r14, 0, rdi) // spill slots: the context, the iterations left
	a.store(r14, 8, rax)
	for n := range frame.VectorCount {
		a.loadVector(n, rdi, tortureVectors+64*n)
	}
	for n := range frame.MaskCount {
		a.loadMask(n, rdi, tortureMasks+8*n)
	}
	for _, n := range ownGPRs { // rdi is last
		a.load(n, rdi, tortureGPRs+8*n)
	}
	a.label("loop")
	for n := range frame.VectorCount {
		a.addVectors(n, n, (n+1)%frame.VectorCount)
	}
	for n := range frame.MaskCount {
		a.addMasks(n, n, (n+1)%frame.MaskCount)
	}
	for i, n := range ownGPRs {
		a.add(n, ownGPRs[(i+1)%len(ownGPRs)])
	}
	a.decMemory(r14, 8)
	a.jumpZero("end")
	a.backEdge("loop")
	a.label("end")
	a.load(r15, r14, 0)
	for n := range frame.VectorCount {
		a.storeVector(r15, tortureVectors+64*n, n)
	}
	for n := range frame.MaskCount {
		a.storeMask(r15, tortureMasks+8*n, n)
	}
	for _, n := range ownGPRs {
		a.store(r15, tortureGPRs+8*n, n)
	}
	a.ret()
	return a.image()
}

// tortureModel does to a dump what the code does to its registers.
func tortureModel(dump []byte, iterations int) {
	word := binary.LittleEndian
	for range iterations {
		for n := range frame.VectorCount {
			for lane := 0; lane < 64; lane += 4 {
				x := dump[tortureVectors+64*n+lane:]
				y := dump[tortureVectors+64*((n+1)%frame.VectorCount)+lane:]
				word.PutUint32(x, word.Uint32(x)+word.Uint32(y))
			}
		}
		add := func(at, other int) {
			word.PutUint64(dump[at:], word.Uint64(dump[at:])+word.Uint64(dump[other:]))
		}
		for n := range frame.MaskCount {
			add(tortureMasks+8*n, tortureMasks+8*((n+1)%frame.MaskCount))
		}
		for i, n := range ownGPRs {
			add(tortureGPRs+8*n, tortureGPRs+8*ownGPRs[(i+1)%len(ownGPRs)])
		}
	}
}

// runTorture runs the code once from random registers and compares it with the
// model. It returns an error so that any goroutine may call it.
func runTorture(code *Code, seed int64, iterations int) error {
	random := rand.New(rand.NewSource(seed))
	dump := AlignedBytes(tortureSize, 64)
	random.Read(dump[tortureVectors:])
	area := frame.NewArea(16)
	binary.LittleEndian.PutUint64(dump, uint64(area.Address()))
	binary.LittleEndian.PutUint64(dump[tortureIterations:], uint64(iterations))
	want := append([]byte(nil), dump...)
	tortureModel(want, iterations)

	var pins Pins
	defer pins.Release()
	if err := code.Run(context.Background(), 0, pins.Bytes(dump), area); err != nil {
		return err
	}
	for i := range want {
		if dump[i] != want[i] {
			return fmt.Errorf("seed %d, %d iterations: byte %d of the dump is %#x, want %#x", seed, iterations, i, dump[i], want[i])
		}
	}
	return nil
}

func TestYieldPreservesEveryRegister(t *testing.T) {
	code := mustLoad(t, torture())
	code.fixed = true
	for i, fuel := range []uint64{1, 2, 7, 1000, 1 << 40} {
		code.fuel.Store(fuel)
		for _, iterations := range []int{1, 2, 50, 5000} {
			require.NoError(t, runTorture(code, int64(i), iterations), "fuel %d", fuel)
		}
	}
}

func TestYieldDumpCatchesALostRegister(t *testing.T) {
	// The test above must be able to fail: break one register after a yield.
	code := mustLoad(t, torture())
	dump := AlignedBytes(tortureSize, 64)
	area := frame.NewArea(16)
	binary.LittleEndian.PutUint64(dump, uint64(area.Address()))
	binary.LittleEndian.PutUint64(dump[tortureIterations:], 100)
	want := append([]byte(nil), dump...)
	tortureModel(want, 100)
	var pins Pins
	defer pins.Release()
	once := func() bool { return false }
	require.NoError(t, enter(context.Background(), code.base, pins.Bytes(dump), area.Save(), 10, once))
	require.EqualValues(t, frame.Yielded, area.Save().Status)
	area.Save().Vectors[31][63]++
	require.NoError(t, enter(context.Background(), code.base+uintptr(code.image.Resume), area.Address(), area.Save(), 1000, once))
	require.EqualValues(t, frame.Done, area.Save().Status)
	require.NotEqual(t, want, dump)
}
