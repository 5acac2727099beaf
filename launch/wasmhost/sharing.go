package wasmhost

import (
	"crypto/sha256"
	"sync"
)

// Sharing returns a host that compiles equal code once: kernels without divergent branches
// have the same code under several strategies. A module is freed once all its users have
// closed it.
func Sharing(h Host) Host {
	s := &sharing{Host: h, modules: map[moduleKey]*sharedModule{}}
	if o, ok := h.(Optimizer); ok {
		return &sharingOptimizer{s, o}
	}
	return s
}

type sharing struct {
	Host

	mu      sync.Mutex
	modules map[moduleKey]*sharedModule
}

// sharingOptimizer is sharing for a host that is an Optimizer.
type sharingOptimizer struct {
	*sharing
	optimizer Optimizer
}

// moduleKey identifies equal modules.
type moduleKey struct {
	code      [sha256.Size]byte
	optimized bool
}

// sharedModule is a module with its number of users.
type sharedModule struct {
	compile func() (Module, error)
	users   int
}

func (h *sharing) Compile(code []byte) (Module, error) {
	return h.module(moduleKey{sha256.Sum256(code), false}, func() (Module, error) { return h.Host.Compile(code) })
}

func (h *sharingOptimizer) Optimize(code []byte) (Module, error) {
	return h.module(moduleKey{sha256.Sum256(code), true}, func() (Module, error) { return h.optimizer.Optimize(code) })
}

// module returns the module of a key. The first caller compiles it, others wait.
func (h *sharing) module(key moduleKey, compile func() (Module, error)) (Module, error) {
	h.mu.Lock()
	m := h.modules[key]
	if m == nil {
		m = &sharedModule{compile: sync.OnceValues(compile)}
		h.modules[key] = m
	}
	m.users++
	h.mu.Unlock()
	inner, err := m.compile()
	if err != nil {
		h.leave(key, m)
		return nil, err
	}
	return &moduleUse{Module: inner, leave: sync.OnceValue(func() error {
		if h.leave(key, m) {
			return inner.Close()
		}
		return nil
	})}, nil
}

// leave removes a user and reports whether it was the last.
func (h *sharing) leave(key moduleKey, m *sharedModule) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m.users--; m.users > 0 {
		return false
	}
	delete(h.modules, key)
	return true
}

// moduleUse is a user's reference to a module.
type moduleUse struct {
	Module
	leave func() error
}

func (u *moduleUse) Close() error { return u.leave() }
