package notebook

// Match finds out which cells of one list are those of another: by nbformat id, else by
// equal type and source, else, where ids are missing, by their place behind a cell that
// both have. It returns an index into old for each cell of now, -1 for a new one.
func Match(old, now []*Cell) []int {
	m := &matching{old: old, now: now, to: make([]int, len(now)), taken: make([]bool, len(old))}
	for i := range m.to {
		m.to[i] = -1
	}
	m.byID()
	m.bySource()
	m.byPlace()
	return m.to
}

type matching struct {
	old, now []*Cell
	to       []int
	taken    []bool
}

func (m *matching) pair(now, old int) {
	m.to[now], m.taken[old] = old, true
}

// once maps the ids that occur just once to their places.
func once(cells []*Cell) map[string]int {
	at := map[string]int{}
	for i, c := range cells {
		if _, twin := at[c.ID]; twin {
			at[c.ID] = -1
		} else {
			at[c.ID] = i
		}
	}
	at[""] = -1
	return at
}

func (m *matching) byID() {
	old := once(m.old)
	for id, n := range once(m.now) {
		if o, known := old[id]; n >= 0 && known && o >= 0 {
			m.pair(n, o)
		}
	}
}

func (m *matching) bySource() {
	type content struct {
		typ    CellType
		source string
	}
	free := map[content][]int{}
	for i, c := range m.old {
		if !m.taken[i] {
			k := content{c.Type, c.Source}
			free[k] = append(free[k], i)
		}
	}
	for i, c := range m.now {
		k := content{c.Type, c.Source}
		if m.to[i] < 0 && len(free[k]) > 0 {
			m.pair(i, free[k][0])
			free[k] = free[k][1:]
		}
	}
}

func (m *matching) byPlace() {
	for i, c := range m.now {
		next := 0
		if i > 0 {
			next = m.to[i-1] + 1
			if m.to[i-1] < 0 {
				continue
			}
		}
		if m.to[i] < 0 && next < len(m.old) && !m.taken[next] && m.old[next].Type == c.Type && (c.ID == "" || m.old[next].ID == "") {
			m.pair(i, next)
		}
	}
}
