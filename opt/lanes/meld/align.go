package meld

// align pairs elements of two sequences of lengths n and m so that the sum of score is
// maximal, pairs do not cross and every score is positive (Needleman & Wunsch, "A general
// method applicable to the search for similarities", 1970, with a gap penalty of 0). It
// returns the pairs in order. Time and memory are O(n*m).
func align(n, m int, score func(i, j int) int) [][2]int {
	// best[i*(m+1)+j] is the maximal sum for the suffixes from i and j on.
	best := make([]int, (n+1)*(m+1))
	scores := make([]int, n*m)
	at := func(i, j int) *int { return &best[i*(m+1)+j] }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			s := score(i, j)
			scores[i*m+j] = s
			*at(i, j) = max(*at(i+1, j), *at(i, j+1))
			if s > 0 {
				*at(i, j) = max(*at(i, j), s+*at(i+1, j+1))
			}
		}
	}
	var pairs [][2]int
	for i, j := 0, 0; i < n && j < m; {
		switch s := scores[i*m+j]; {
		case s > 0 && *at(i, j) == s+*at(i+1, j+1):
			pairs = append(pairs, [2]int{i, j})
			i++
			j++
		case *at(i, j) == *at(i+1, j):
			i++
		default:
			j++
		}
	}
	return pairs
}
