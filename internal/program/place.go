package program

import "unsafe"

// place is where a value stands in its record. A value is known by its memory:
// gojq does not change what it is given, so the same memory is the same value. That
// the place holds the pointer keeps the memory from being used again while the
// program runs.
type place struct {
	address    unsafe.Pointer
	length     int // of an array or a string; 0 of an object
	start, end int
}

// table finds places by the address.
type table struct {
	places []place
	at     map[unsafe.Pointer]int // of all places, once they are many
}

// fewPlaces is how many are looked through one by one.
const fewPlaces = 16

func (t *table) reset() {
	if len(t.places) > 4096 {
		t.places = nil // one large record is not to keep much memory
	}
	clear(t.places)
	t.places = t.places[:0]
	t.at = nil
}

func (t *table) add(p place) { t.places = append(t.places, p) }

func (t *table) find(address unsafe.Pointer, length int) (p place, ok bool) {
	if len(t.places) <= fewPlaces {
		for _, p := range t.places {
			if p.address == address && p.length == length {
				return p, true
			}
		}
		return place{}, false
	}
	if t.at == nil {
		t.at = make(map[unsafe.Pointer]int, len(t.places))
		for i, p := range t.places {
			t.at[p.address] = i
		}
	}
	i, ok := t.at[address]
	if !ok || t.places[i].length != length {
		return place{}, false
	}
	return t.places[i], true
}

// mapAddress is the address of the map itself, which a map value is.
func mapAddress(m map[string]any) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&m))
}

// within reports whether s is a part of text: the same memory.
func within(s, text string) bool {
	at := uintptr(unsafe.Pointer(unsafe.StringData(s)))
	base := uintptr(unsafe.Pointer(unsafe.StringData(text)))
	return at >= base && at+uintptr(len(s)) <= base+uintptr(len(text))
}
