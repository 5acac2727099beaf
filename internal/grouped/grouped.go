// Package grouped builds lists by key in one shared array. Most passes build graphs and
// tables of uses, and most lists in these are short.
package grouped

// Lists returns, for every key 0..n-1, the items that visit adds under it, in that order.
// It calls visit twice: to count and to fill.
func Lists[T any](n int, visit func(add func(key int, x T))) [][]T {
	end := make([]int, n+1) // of each list in the shared array
	visit(func(key int, _ T) { end[key+1]++ })
	for i := range n {
		end[i+1] += end[i]
	}
	all := make([]T, end[n])
	lists := make([][]T, n)
	for i := range lists {
		if from, to := end[i], end[i+1]; to > from {
			lists[i] = all[from:from:to]
		}
	}
	visit(func(key int, x T) { lists[key] = append(lists[key], x) })
	return lists
}
