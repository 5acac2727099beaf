package pipeline

import (
	"runtime"
	"sync"
)

// forEachKernel calls compile for all kernels, on one thread per core, and returns the results in
// the order of ks. One thread serves all if the passes are measured or print, so that costs belong
// to their passes and texts keep the order of ks. Compilations of kernels share no mutable state, so the results are
// deterministic; so is the error, which is the first kernel's that has one.
func forEachKernel[T any](ks []*Kernel, compile func(*Kernel) (T, error)) ([]T, error) {
	results := make([]result[T], len(ks))
	one := func(i int) {
		defer Guard(&results[i].err)
		results[i].value, results[i].err = compile(ks[i])
	}
	workers := min(runtime.GOMAXPROCS(0), len(ks))
	if len(ks) > 0 {
		if d := &ks[0].shared.prog.Debug; d.Measure || len(d.DumpAfter) > 0 {
			workers = 1
		}
	}
	if workers <= 1 {
		for i := range ks {
			if one(i); results[i].err != nil {
				break
			}
		}
	} else {
		next := newQueue(len(ks))
		var wait sync.WaitGroup
		for range workers {
			wait.Add(1)
			go func() {
				defer wait.Done()
				for i := range next {
					one(i)
				}
			}()
		}
		wait.Wait()
	}
	var out []T
	for _, r := range results {
		if r.err != nil {
			return nil, r.err
		}
		out = append(out, r.value)
	}
	return out, nil
}

type result[T any] struct {
	value T
	err   error
}

// newQueue returns a channel with the numbers below n.
func newQueue(n int) <-chan int {
	c := make(chan int, n)
	for i := range n {
		c <- i
	}
	close(c)
	return c
}
