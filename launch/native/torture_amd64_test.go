//go:build linux || windows

package native

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// Context of the torture code: address of the slots, iterations, then a dump of every
// register, which the code loads at the start and stores at the end.
const (
	tortureIterations = 8
	tortureVectors    = 64
	tortureMasks      = tortureVectors + 64*vectorCount
	tortureGPRs       = tortureMasks + 8*maskCount
	tortureSize       = tortureGPRs + 8*gprCount
)

// ownGPRs are the general-purpose registers that the code computes with.
var ownGPRs = []int{rax, rcx, rdx, rbx, rbp, rsi, r8, 9, 10, 11, 12, 13, r15, rdi}

// torture is code that adds every register to its neighbour in a loop, general-purpose ones
// with carry, so that one register or flag that is damaged once changes the dump.
func torture(level Level) Image {
	a := newAssembler(level)
	a.enterSlots()
	a.load(rax, rdi, tortureIterations)
	a.store(r14, 0, rdi) // spill slots: the context, the iterations left
	a.store(r14, 8, rax)
	for n := range level.vectors() {
		a.loadVector(n, rdi, tortureVectors+64*n)
	}
	for n := range level.masks() {
		a.loadMask(n, rdi, tortureMasks+8*n)
	}
	for _, n := range ownGPRs { // rdi is loaded last
		a.load(n, rdi, tortureGPRs+8*n)
	}
	a.label("loop")
	for n := range level.vectors() {
		a.addVectors(n, n, (n+1)%level.vectors())
	}
	for n := range level.masks() {
		a.addMasks(n, n, (n+1)%level.masks())
	}
	for i, n := range ownGPRs {
		if other := ownGPRs[(i+1)%len(ownGPRs)]; i == 0 {
			a.add(n, other)
		} else {
			a.addCarry(n, other)
		}
	}
	a.decMemory(r14, 8)
	a.jumpNotZero("loop")
	a.load(r14, r14, 0)
	for n := range level.vectors() {
		a.storeVector(r14, tortureVectors+64*n, n)
	}
	for n := range level.masks() {
		a.storeMask(r14, tortureMasks+8*n, n)
	}
	for _, n := range ownGPRs {
		a.store(r14, tortureGPRs+8*n, n)
	}
	a.ret()
	return a.image()
}

// tortureModel applies the code's computation to a dump.
func tortureModel(level Level, dump []byte, iterations int) {
	word := binary.LittleEndian
	sums := neighbourSums(level.vectors(), iterations)
	for lane := 0; lane < level.vectorBytes(); lane += 4 {
		before := make([]uint32, len(sums))
		for n := range before {
			before[n] = word.Uint32(dump[tortureVectors+64*n+lane:])
		}
		for n, row := range sums {
			sum := uint32(0)
			for i, c := range row {
				sum += c * before[i]
			}
			word.PutUint32(dump[tortureVectors+64*n+lane:], sum)
		}
	}
	for range iterations {
		add := func(at, other int, carry uint64) uint64 {
			sum, carry := bits.Add64(word.Uint64(dump[at:]), word.Uint64(dump[other:]), carry)
			word.PutUint64(dump[at:], sum)
			return carry
		}
		for n := range level.masks() {
			add(tortureMasks+8*n, tortureMasks+8*((n+1)%level.masks()), 0)
		}
		carry := uint64(0)
		for i, n := range ownGPRs {
			carry = add(tortureGPRs+8*n, tortureGPRs+8*ownGPRs[(i+1)%len(ownGPRs)], carry)
		}
	}
}

// neighbourSums returns the matrix of iterations that add each of n values to the one in front
// of it, in order, and the first to the last.
func neighbourSums(n, iterations int) [][]uint32 {
	one := make([][]uint32, n)
	for i := range one {
		one[i] = make([]uint32, n)
		one[i][i] = 1
	}
	result := slices.Clone(one)
	for i := range one {
		sum := slices.Clone(one[i])
		for j, c := range one[(i+1)%n] {
			sum[j] += c
		}
		one[i] = sum
	}
	product := func(x, y [][]uint32) [][]uint32 {
		z := make([][]uint32, n)
		for i := range z {
			z[i] = make([]uint32, n)
			for k, c := range x[i] {
				for j, d := range y[k] {
					z[i][j] += c * d
				}
			}
		}
		return z
	}
	for ; iterations > 0; iterations /= 2 { // powers by squaring
		if iterations%2 == 1 {
			result = product(one, result)
		}
		one = product(one, one)
	}
	return result
}

// runTorture runs the code once from random registers with the given clock period and
// compares the result with the model. It reports whether the code was interrupted. It returns
// an error so that any goroutine may call it.
func runTorture(code *Code, every time.Duration, seed int64, iterations int) (stopped bool, err error) {
	dump, area := tortureContext(seed, iterations)
	want := append([]byte(nil), dump...)
	tortureModel(code.image.Level, want, iterations)

	var pins Pins
	defer pins.Release()
	area.clock.every = every
	defer area.Release()
	if err := code.RunAll(context.Background(), 0, pins.Bytes(dump), area, func() bool { return false }); err != nil {
		return false, err
	}
	for i := range tortureSize { // the code uses the slots freely
		if dump[i] != want[i] {
			return false, fmt.Errorf("seed %d, %d iterations: byte %d of the dump is %#x, want %#x", seed, iterations, i, dump[i], want[i])
		}
	}
	return area.save.resume != 0, nil
}

// tortureContext returns a context for the code with random registers.
func tortureContext(seed int64, iterations int) ([]byte, *Area) {
	random := rand.New(rand.NewSource(seed))
	dump := AlignedBytes(tortureSize+16, 64) // the slots last
	random.Read(dump[tortureVectors:])
	area := NewArea()
	binary.LittleEndian.PutUint64(dump, uint64(uintptr(unsafe.Pointer(&dump[tortureSize]))))
	binary.LittleEndian.PutUint64(dump[tortureIterations:], uint64(iterations))
	return dump, area
}

// often is a period that interrupts code every few hundred instructions.
const often = 20 * time.Microsecond

func TestInterruptsPreserveEveryRegister(t *testing.T) {
	eachLevel(t, func(t *testing.T, level Level) {
		code := mustLoad(t, torture(level))
		times := 0
		for i, every := range []time.Duration{time.Hour, tickEvery, 300 * time.Microsecond, often, often / 2} {
			for _, iterations := range []int{1, 2, 50, interruptible, 4 * interruptible} {
				if every <= often && iterations > interruptible {
					continue // thousands of signals more, each as likely to find a fault as those before
				}
				stopped, err := runTorture(code, every, int64(i), iterations)
				require.NoError(t, err, "%v", every)
				if stopped {
					times++
				}
			}
		}
		require.Positive(t, times)
	})
}

func TestTortureCatchesALostRegister(t *testing.T) {
	// The test above must be able to fail: damage one register in between.
	eachLevel(t, func(t *testing.T, level Level) {
		code := mustLoad(t, torture(level))
		const iterations = 4 * interruptible
		dump, area := tortureContext(1, iterations)
		want := append([]byte(nil), dump...)
		tortureModel(code.image.Level, want, iterations)
		var pins Pins
		defer pins.Release()
		area.clock.every = often
		defer area.Release()
		area.save.base, area.save.size = uint64(code.base), uint64(code.Size())
		stopped, err := enter(context.Background(), code.base, pins.Bytes(dump), area, func() bool { return false })
		require.NoError(t, err)
		require.True(t, stopped)
		area.save.vectors[level.vectors()-1][level.vectorBytes()-1]++
		require.NoError(t, goOn(context.Background(), area))
		require.NotEqual(t, want, dump)
	})
}
