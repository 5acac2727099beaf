package simtc

import (
	"runtime"
	"sync"
)

// together runs compile for all kernels, on as many threads as there are cores,
// and returns what came of each, in the order of ks. Kernels share nothing that
// compiling changes, so the results are those of one after the other; so is the
// error, which is that of the first kernel that has one.
func together[T any](ks []*Kernel, compile func(*Kernel) (T, error)) ([]T, error) {
	results := make([]result[T], len(ks))
	one := func(i int) {
		defer guard(&results[i].err)
		results[i].value, results[i].err = compile(ks[i])
	}
	workers := min(runtime.GOMAXPROCS(0), len(ks))
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

// newQueue returns a channel that gives the numbers below n.
func newQueue(n int) <-chan int {
	c := make(chan int, n)
	for i := range n {
		c <- i
	}
	close(c)
	return c
}
