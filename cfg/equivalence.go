package cfg

// multigraph is an undirected graph with numbered edges; self loops and parallel edges
// are allowed.
type multigraph struct {
	nodes int
	ends  [][2]int32 // by edge
}

func (m *multigraph) addEdge(a, b int) int {
	m.ends = append(m.ends, [2]int32{int32(a), int32(b)})
	return len(m.ends) - 1
}

// bracket is an entry in the bracket list of a node: a back edge of the undirected walk,
// or a capping back edge for a branching of the walk's tree.
type bracket struct {
	prev, next  int32 // in the list; -1 at the ends
	recentSize  int32 // the size of the list when this was last its top
	recentClass int32
}

// bracketList is a doubly linked list of brackets; the top is its head.
type bracketList struct{ head, tail, size int32 }

// cycleEquivalence partitions the edges of a connected graph: two edges are in one class
// if every cycle that contains one contains the other. The walk starts at node 0. Linear
// time.
//
// (Johnson, Pearson, Pingali, "The Program Structure Tree", PLDI'94, figure 4: tree edges
// are equivalent if the same back edges bracket them, and the set of brackets is
// identified by its newest member and its size.) An edge that is on no cycle has a class
// of its own.
func (m *multigraph) cycleEquivalence() (class []int32, classes int) {
	edges := len(m.ends)
	class = make([]int32, edges)
	for e := range class {
		class[e] = -1
	}
	newClass := func() int32 {
		classes++
		return int32(classes - 1)
	}

	// Incident edges of every node, without self loops.
	first := make([]int32, m.nodes+1)
	for _, e := range m.ends {
		if e[0] != e[1] {
			first[e[0]+1]++
			first[e[1]+1]++
		}
	}
	for v := 0; v < m.nodes; v++ {
		first[v+1] += first[v]
	}
	incident := make([]int32, first[m.nodes])
	fill := append([]int32(nil), first[:m.nodes]...)
	for e, ends := range m.ends {
		if ends[0] != ends[1] {
			incident[fill[ends[0]]] = int32(e)
			incident[fill[ends[1]]] = int32(e)
			fill[ends[0]]++
			fill[ends[1]]++
		}
	}
	other := func(e, v int32) int32 { return m.ends[e][0] ^ m.ends[e][1] ^ v }

	// Undirected depth-first walk.
	number := make([]int32, m.nodes)
	treeEdge := make([]int32, m.nodes) // to the parent; -1 for the root
	for v := range number {
		number[v] = -1
	}
	order := make([]int32, 0, m.nodes)
	at := append([]int32(nil), first[:m.nodes]...)
	stack := []int32{0}
	number[0], treeEdge[0] = 0, -1
	order = append(order, 0)
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		if at[v] == first[v+1] {
			stack = stack[:len(stack)-1]
			continue
		}
		e := incident[at[v]]
		at[v]++
		if w := other(e, v); number[w] < 0 {
			number[w], treeEdge[w] = int32(len(order)), e
			order = append(order, w)
			stack = append(stack, w)
		}
	}

	const none = int32(1 << 30)
	brackets := make([]bracket, edges, edges+m.nodes)
	lists := make([]bracketList, m.nodes)
	high := make([]int32, m.nodes)   // highest (smallest) node a child's subtree reaches
	second := make([]int32, m.nodes) // the same for another child
	capping := make([][]int32, m.nodes)
	for v := range lists {
		lists[v] = bracketList{-1, -1, 0}
		high[v], second[v] = none, none
	}
	push := func(l *bracketList, b int32) {
		brackets[b].prev, brackets[b].next = -1, l.head
		if l.head >= 0 {
			brackets[l.head].prev = b
		} else {
			l.tail = b
		}
		l.head = b
		l.size++
	}
	remove := func(l *bracketList, b int32) {
		prev, next := brackets[b].prev, brackets[b].next
		if prev >= 0 {
			brackets[prev].next = next
		} else {
			l.head = next
		}
		if next >= 0 {
			brackets[next].prev = prev
		} else {
			l.tail = prev
		}
		l.size--
	}

	for i := len(order) - 1; i >= 0; i-- {
		v := order[i]
		l := &lists[v] // already contains the lists of the children
		for _, b := range capping[v] {
			remove(l, b)
		}
		own := none // highest end of a back edge from v
		for _, e := range incident[first[v]:first[v+1]] {
			w := other(e, v)
			if e == treeEdge[v] || e == treeEdge[w] {
				continue
			}
			if number[w] > number[v] {
				remove(l, e)
				if class[e] < 0 {
					class[e] = newClass()
				}
			} else {
				own = min(own, number[w])
			}
		}
		for _, e := range incident[first[v]:first[v+1]] {
			w := other(e, v)
			if e != treeEdge[v] && e != treeEdge[w] && number[w] < number[v] {
				brackets[e].recentSize = -1
				push(l, e)
			}
		}
		if s := second[v]; s < own && s < number[v] {
			b := int32(len(brackets))
			brackets = append(brackets, bracket{recentSize: -1})
			capping[order[s]] = append(capping[order[s]], b)
			push(l, b)
		}
		e := treeEdge[v]
		if e < 0 {
			continue
		}
		if top := l.head; top < 0 {
			class[e] = newClass()
		} else {
			if brackets[top].recentSize != l.size {
				brackets[top].recentSize = l.size
				brackets[top].recentClass = newClass()
			}
			class[e] = brackets[top].recentClass
			if l.size == 1 && int(top) < edges {
				class[top] = class[e]
			}
		}

		// Pass the list and the reach to the parent.
		p := other(e, v)
		reach := min(own, high[v])
		if reach < high[p] {
			high[p], second[p] = reach, high[p]
		} else {
			second[p] = min(second[p], reach)
		}
		if pl := &lists[p]; pl.size == 0 {
			*pl = *l
		} else if l.size > 0 {
			brackets[l.tail].next = pl.head
			brackets[pl.head].prev = l.tail
			pl.head = l.head
			pl.size += l.size
		}
	}
	for e := range class {
		if class[e] < 0 { // a self loop
			class[e] = newClass()
		}
	}
	return class, classes
}
