package web

import "sync"

// A keeper holds what pages were made of until something is written to the library or its index.
type keeper struct {
	mu    sync.Mutex
	stamp string // of library and index
	of    map[string]any
}

// mostKept is how many things are held at most: pages may be asked for with any days.
const mostKept = 20

// kept is what make makes of a library in the state of a stamp, or made before; "" of one that is being written to.
func kept[T any](k *keeper, stamp, key string, make func() (T, error)) (T, error) {
	k.mu.Lock()
	if k.of == nil || k.stamp != stamp || len(k.of) >= mostKept {
		k.stamp, k.of = stamp, map[string]any{}
	}
	v, ok := k.of[key].(T)
	k.mu.Unlock()
	if ok && stamp != "" {
		return v, nil
	}
	v, err := make()
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil && stamp != "" && k.stamp == stamp {
		k.of[key] = v
	}
	return v, err
}
