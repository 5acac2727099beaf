package launch

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch/wasmhost/defaulthost"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

// A launch copies the header of the printf buffer in, copies the used part out and zeroes
// it, and touches nothing else.
func TestPrintfBufferIsCopiedAsFarAsUsed(t *testing.T) {
	const at, size, used = 64, 1 << 16, kernel.PrintfHeader + 48
	untouched := bytes.Repeat([]byte{0xAA}, size)
	for _, asked := range []uint64{0, kernel.PrintfHeader, used, size, size + 1000} {
		var buffers PrintfBuffers
		p := buffers.New(&kernel.Func{}, size-kernel.PrintfHeader)
		buffer := p.Arg().Buffer
		require.Len(t, buffer, size)
		copy(buffer[kernel.PrintfHeader:], untouched)
		memory := make([]byte, at+size+64)
		copy(memory[at+kernel.PrintfHeader:], bytes.Repeat([]byte{0x55}, size))
		o := &wasmLayout{objects: []*object{{bytes: buffer, at: at, args: []int{0}, log: true}}, blockAt: at + size, tableAt: at + size}
		e := &wasmExecutor{spared: []bool{false}}

		o.copyIn(memory, e)
		require.Equal(t, buffer[:kernel.PrintfHeader], memory[at:][:kernel.PrintfHeader])
		require.EqualValues(t, 0x55, memory[at+kernel.PrintfHeader])

		binary.LittleEndian.PutUint64(memory[at+kernel.PrintfUsed:], asked)
		n := int(max(min(asked, size), kernel.PrintfHeader))
		o.copyOut(memory, e)
		require.Equal(t, make([]byte, n), memory[at:][:n])
		require.Equal(t, bytes.Repeat([]byte{0x55}, size-n), memory[at+n:][:size-n])
		require.Equal(t, bytes.Repeat([]byte{0x55}, n-kernel.PrintfHeader), buffer[kernel.PrintfHeader:n])
		require.Equal(t, untouched[n:], buffer[n:])

		// The next launch gets the same buffer, zeroed.
		require.NoError(t, p.Finish(nil, Range{}))
		again := buffers.New(&kernel.Func{}, size-kernel.PrintfHeader).Arg().Buffer
		require.Same(t, &buffer[0], &again[0])
		require.Equal(t, make([]byte, n-kernel.PrintfHeader), again[kernel.PrintfHeader:n])
	}
}

// In an EngineMemory, printf buffers are zeroed ranges that launches reuse.
func TestPrintfBuffersInEngineMemory(t *testing.T) {
	host := defaulthost.New()
	m := NewEngineMemory(host, host.Features()&wasm.Threads != 0)
	defer func() { require.NoError(t, m.Close()) }()
	b, err := m.Alloc(1 << 12)
	require.NoError(t, err)
	copy(b, bytes.Repeat([]byte{1}, len(b)))
	m.Free(b)
	first, err := m.takeLog(1 << 10)
	require.NoError(t, err)
	require.Equal(t, make([]byte, 1<<10), m.mem.Bytes()[first:][:1<<10])
	second, err := m.takeLog(1 << 10)
	require.NoError(t, err)
	require.NotEqual(t, first, second)
	m.giveLog(first)
	m.giveLog(second)
	for range maxFreeLogs + 2 {
		_, err := m.takeLog(1 << 10)
		require.NoError(t, err)
	}
	require.Empty(t, m.logs)
}
