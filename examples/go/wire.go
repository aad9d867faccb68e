package blueque

// Encoding of calls and decoding of replies. The generated file calls.go consists of these parts.

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// Call is a call that has not been made yet. If the same value is sent again after a lost reply, it is executed once.
type Call[T any] struct {
	// Command is the name of the command.
	Command string
	// Sent is its arguments from NOW on, as they go over the wire.
	Sent    []string
	shape   *shape
	request bool
}

// At is the same call at the time `now`, in a namespace for tests.
func (c Call[T]) At(now float64) Call[T] {
	c.Sent = append([]string{written(now)}, c.Sent[1:]...)
	return c
}

// Once is the same call with a random `request`. The second time it does nothing, whatever other clients did in
// between.
func (c Call[T]) Once() Call[T] {
	if c.request {
		var random [16]byte
		if _, err := rand.Read(random[:]); err != nil {
			panic(err) // the system has no random numbers
		}
		c.Sent = append(append([]string{}, c.Sent...), "request", hex.EncodeToString(random[:]))
	}
	return c
}

// Some is a value of an option.
func Some[T any](value T) *T { return &value }

// words are the arguments of a call.
type words []string

func (w *words) add(values ...any) {
	for _, value := range values {
		*w = append(*w, written(value))
	}
}

// option adds an option that is given.
func (w *words) option(name string, value any) {
	if !reflect.ValueOf(value).IsNil() {
		*w = append(*w, name, written(value))
	}
}

func written(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case []byte:
		return string(value)
	case bool:
		if value {
			return "1"
		}
		return "0"
	case int:
		return strconv.Itoa(value)
	case int64:
		return strconv.FormatInt(value, 10)
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	pointer := reflect.ValueOf(value)
	if pointer.IsNil() {
		return "" // `time_or_none`
	}
	return written(pointer.Elem().Interface())
}

// NumberOrWord is a number, or a word in its place.
type NumberOrWord struct {
	Number int64
	Word   string
}

// kind is a type of the contract.
type kind struct {
	form      string
	low, high float64
	words     []string
}

// field is a part of a reply.
type field struct {
	name                string
	kind                *kind
	words               []string
	null, empty, absent bool
}

// shape is the form of a reply: one value, or pairs, or a list and then items.
type shape struct {
	single             *field
	list, items, pairs []field
	begins             string
	null, absent, open bool
}

var (
	whole   = regexp.MustCompile(`^-?\d+$`)
	decimal = regexp.MustCompile(`^\d+(\.\d*)?$`)
)

// read reads a reply into a value of the type that the generator has made for the shape. The fields of a struct are in
// the order of the shape.
func (s *shape) read(reply any, into reflect.Value) error {
	if reply == nil && s.null {
		return nil
	}
	if s.single != nil {
		return s.single.read(reply, into)
	}
	all, ok := reply.([]any)
	if !ok {
		return fmt.Errorf("it is %s, not an array", shown(reply))
	}
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	switch {
	case s.begins != "":
		return s.groups(all, into)
	case s.pairs != nil:
		return s.named(all, into)
	case s.list == nil:
		return s.rows(all, into)
	}
	for at := range s.list {
		if at >= len(all) {
			if !s.list[at].absent {
				return fmt.Errorf("it lacks %s", s.list[at].name)
			}
		} else if err := s.list[at].read(all[at], into.Field(at)); err != nil {
			return err
		}
	}
	if s.items == nil || len(all) < len(s.list) {
		return nil // what later versions append is ignored
	}
	return s.rows(all[len(s.list):], into.Field(len(s.list)))
}

func (s *shape) rows(all []any, into reflect.Value) error {
	width := len(s.items)
	if len(all)%width != 0 {
		return fmt.Errorf("it has a wrong number of fields")
	}
	into.Set(reflect.MakeSlice(into.Type(), len(all)/width, len(all)/width))
	for at, got := range all {
		row := into.Index(at / width)
		if width > 1 {
			row = row.Field(at % width)
		}
		if err := s.items[at%width].read(got, row); err != nil {
			return err
		}
	}
	return nil
}

func (s *shape) groups(all []any, into reflect.Value) error {
	starts := []int{0}
	for at := 2; at < len(all); at += 2 {
		if text(all[at]) == s.begins {
			starts = append(starts, at)
		}
	}
	into.Set(reflect.MakeSlice(into.Type(), len(starts), len(starts)))
	for index, start := range starts {
		end := len(all)
		if index+1 < len(starts) {
			end = starts[index+1]
		}
		if err := s.named(all[start:end], into.Index(index)); err != nil {
			return err
		}
	}
	return nil
}

func (s *shape) named(all []any, into reflect.Value) error {
	if len(all)%2 != 0 {
		return fmt.Errorf("it has a name without a value")
	}
	found := map[int]bool{}
	for at := 0; at < len(all); at += 2 {
		name := text(all[at])
		index, key := s.find(name)
		switch {
		case index >= 0 && key == "":
			if err := s.pairs[index].read(all[at+1], into.Field(index)); err != nil {
				return err
			}
			found[index] = true
		case index >= 0:
			value := reflect.New(into.Field(index).Type().Elem()).Elem()
			if err := s.pairs[index].read(all[at+1], value); err != nil {
				return err
			}
			put(into.Field(index), key, value)
		case s.open:
			put(into.Field(len(s.pairs)), name, reflect.ValueOf([]byte(text(all[at+1]))))
		}
	}
	for index, field := range s.pairs {
		if !found[index] && !s.absent && !field.absent && !strings.HasSuffix(field.name, "*") {
			return fmt.Errorf("it lacks %s", field.name)
		}
	}
	return nil
}

// find returns the field of a name, or the field `begin*` that collects the name, and the rest of the name.
func (s *shape) find(name string) (int, string) {
	collecting, key := -1, ""
	for index, field := range s.pairs {
		if field.name == name {
			return index, ""
		}
		begin := strings.TrimSuffix(field.name, "*")
		if begin != field.name && strings.HasPrefix(name, begin) {
			collecting, key = index, name[len(begin):]
		}
	}
	return collecting, key
}

func put(into reflect.Value, key string, value reflect.Value) {
	if into.IsNil() {
		into.Set(reflect.MakeMap(into.Type()))
	}
	into.SetMapIndex(reflect.ValueOf(key), value)
}

// read reads one value. A nil value, or an empty value that does not apply, leaves the zero value.
func (f *field) read(got any, into reflect.Value) error {
	if got == nil {
		if f.null {
			return nil
		}
		return fmt.Errorf("%s is nil", f.name)
	}
	if _, list := got.([]any); list {
		return fmt.Errorf("%s is an array", f.name)
	}
	raw := text(got)
	if raw == "" && f.empty {
		return nil
	}
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	if into.Type() == reflect.TypeOf(NumberOrWord{}) {
		if among(f.words, raw) {
			into.Field(1).SetString(raw)
			return nil
		}
		into = into.Field(0)
	}
	if among(f.words, raw) || f.kind != nil && f.kind.read(raw, into) {
		if into.Kind() == reflect.String {
			into.SetString(raw)
		}
		return nil
	}
	return fmt.Errorf("%s is %s", f.name, shown(got))
}

// read returns true if a value is of the type, and sets it unless it is a text.
func (k *kind) read(raw string, into reflect.Value) bool {
	fits := func(size float64) bool { return k.low <= size && size <= k.high }
	switch k.form {
	case "whole":
		number, err := strconv.ParseInt(raw, 10, 64)
		into.SetInt(number)
		return whole.MatchString(raw) && err == nil && fits(float64(number))
	case "seconds", "decimal":
		number, err := strconv.ParseFloat(raw, 64)
		into.SetFloat(number)
		return decimal.MatchString(raw) && err == nil && fits(number)
	case "flag":
		into.SetBool(raw == "1")
		return raw == "0" || raw == "1"
	case "word":
		return among(k.words, raw)
	case "words":
		into.Set(reflect.ValueOf(strings.Split(raw, ",")))
		for _, word := range strings.Split(raw, ",") {
			if !among(k.words, word) {
				return false
			}
		}
		return true
	case "bytes":
		into.SetBytes([]byte(raw))
		return fits(float64(len(raw)))
	case "text":
		return len(raw) >= 1 && float64(len(raw)) <= k.high
	}
	return false
}

func among(words []string, word string) bool {
	for _, each := range words {
		if each == word {
			return true
		}
	}
	return false
}

// text is a string or an integer of the server as a text.
func text(got any) string {
	if number, ok := got.(int64); ok {
		return strconv.FormatInt(number, 10)
	}
	found, _ := got.(string)
	return found
}

func shown(got any) string {
	return fmt.Sprintf("%.80q", fmt.Sprint(got))
}
