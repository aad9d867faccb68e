// The program of tests/conformance/program.py: the cases through the generated functions.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strconv"
	"strings"

	blueque "blueque.example/client"
)

type request struct {
	Words           [][]byte
	Call, Namespace string
	Now             []byte
	Arguments       map[string][]byte
	Each            []map[string][]byte
	Options         map[string][]byte
}

type manifest struct {
	Commands map[string]struct {
		Args  []struct{ Name string }
		Group *struct {
			Args  []struct{ Name string }
			Count string
		}
		Reply struct{ With map[string]any }
	}
}

// unsendable is a value outside the type of a parameter, such as `many` for a number.
type unsendable struct{ error }

// convert returns the value of a type for these bytes.
func convert(raw []byte, to reflect.Type) (reflect.Value, error) {
	value := reflect.New(to).Elem()
	text, again := string(raw), string(raw)
	var err error
	switch to.Kind() {
	case reflect.Pointer:
		if text == "" && to.Elem().Kind() != reflect.String {
			return value, nil
		}
		inner, err := convert(raw, to.Elem())
		if err == nil {
			value.Set(reflect.New(to.Elem()))
			value.Elem().Set(inner)
		}
		return value, err
	case reflect.String:
		value.SetString(text)
	case reflect.Slice:
		value.SetBytes(append([]byte{}, raw...))
	case reflect.Bool:
		value.SetBool(text == "1")
		again = map[bool]string{true: "1", false: "0"}[text == "1"]
	case reflect.Int64:
		var number int64
		number, err = strconv.ParseInt(text, 10, 64)
		value.SetInt(number)
		again = strconv.FormatInt(number, 10)
	case reflect.Float64:
		var number float64
		number, err = strconv.ParseFloat(text, 64)
		value.SetFloat(number)
		again = strconv.FormatFloat(number, 'f', -1, 64)
	}
	if err != nil || again != text {
		return value, unsendable{fmt.Errorf("%q is no %s", text, to)}
	}
	return value, nil
}

// fill sets the fields of a struct by the names of the manifest.
func fill(into reflect.Value, given map[string][]byte) error {
	for at := 0; at < into.NumField(); at++ {
		raw, ok := given[into.Type().Field(at).Tag.Get("wire")]
		if !ok {
			continue
		}
		field := into.Field(at)
		optional := field.Kind() == reflect.Pointer && len(raw) == 0 && strings.HasSuffix(into.Type().Name(), "Options")
		if optional && field.Type().Elem().Kind() != reflect.String {
			return unsendable{fmt.Errorf("an option without a value")}
		}
		value, err := convert(raw, field.Type())
		if err != nil {
			return err
		}
		field.Set(value)
	}
	return nil
}

// call calls the generated function, then its methods At and Run.
func call(client *blueque.Client, about manifest, asked request) (map[string]any, error) {
	entry := about.Commands[asked.Call]
	name := public(asked.Call)
	others := []string{}
	for option := range entry.Reply.With {
		others = append(others, option)
	}
	sort.Strings(others)
	for _, option := range others {
		if _, ok := asked.Options[option]; ok {
			name = public(asked.Call + "_" + option)
			break
		}
	}
	function := reflect.ValueOf(blueque.Functions[name])
	given := []reflect.Value{}
	next := func() reflect.Type { return function.Type().In(len(given)) }
	for _, argument := range entry.Args {
		if argument.Name == "now" || entry.Group != nil && argument.Name == entry.Group.Count {
			continue
		}
		value, err := convert(asked.Arguments[argument.Name], next())
		if err != nil {
			return nil, err
		}
		given = append(given, value)
	}
	if entry.Group != nil {
		each := reflect.MakeSlice(next(), len(asked.Each), len(asked.Each))
		for at, one := range asked.Each {
			var err error
			if into := each.Index(at); into.Kind() == reflect.Struct {
				err = fill(into, one)
			} else {
				var value reflect.Value
				value, err = convert(one[entry.Group.Args[0].Name], into.Type())
				into.Set(value)
			}
			if err != nil {
				return nil, err
			}
		}
		given = append(given, each)
	}
	if len(given) < function.Type().NumIn() {
		options := reflect.New(next()).Elem()
		if err := fill(options, asked.Options); err != nil {
			return nil, err
		}
		given = append(given, options)
	}
	made := function.Call(given)[0]
	if len(asked.Now) > 0 {
		now, err := convert(asked.Now, reflect.TypeOf(0.0))
		if err != nil {
			return nil, err
		}
		made = made.MethodByName("At").Call([]reflect.Value{now})[0]
	}
	sent := made.FieldByName("Sent").Interface().([]string)
	kept := &keeping{Server: client.Server}
	run := made.MethodByName("Run").Call([]reflect.Value{reflect.ValueOf(&blueque.Client{Server: kept, Namespace: asked.Namespace})})
	if !run[1].IsNil() {
		return nil, run[1].Interface().(error)
	}
	bytes := []any{}
	for _, word := range sent {
		bytes = append(bytes, base64.StdEncoding.EncodeToString([]byte(word)))
	}
	return map[string]any{"reply": replied(kept.reply), "sent": bytes, "read": read(run[0])}, nil
}

// keeping keeps the last reply, for the comparison.
type keeping struct {
	blueque.Server
	reply any
}

func (k *keeping) Do(words ...string) (reply any, err error) {
	k.reply, err = k.Server.Do(words...)
	return k.reply, err
}

func replied(reply any) any {
	switch reply := reply.(type) {
	case string:
		return map[string]string{"bytes": base64.StdEncoding.EncodeToString([]byte(reply))}
	case []any:
		found := []any{}
		for _, each := range reply {
			found = append(found, replied(each))
		}
		return found
	}
	return reply
}

// read returns the client's value in the form that JSON has.
func read(value reflect.Value) any {
	switch found := value.Interface().(type) {
	case []byte:
		if found == nil {
			return nil
		}
		return map[string]string{"bytes": base64.StdEncoding.EncodeToString(found)}
	case blueque.NumberOrWord:
		if found.Word != "" {
			return found.Word
		}
		return found.Number
	}
	switch value.Kind() {
	case reflect.Pointer:
		if value.IsNil() {
			return nil
		}
		return read(value.Elem())
	case reflect.Slice:
		if value.IsNil() {
			return nil
		}
		found := []any{}
		for at := 0; at < value.Len(); at++ {
			found = append(found, read(value.Index(at)))
		}
		return found
	case reflect.Struct:
		found := map[string]any{}
		for at := 0; at < value.NumField(); at++ {
			found[value.Type().Field(at).Name] = read(value.Field(at))
		}
		return found
	case reflect.Map:
		found := map[string]any{}
		for _, key := range value.MapKeys() {
			found[key.String()] = read(value.MapIndex(key))
		}
		return found
	}
	return value.Interface()
}

func public(name string) string {
	words := strings.Split(name, "_")
	for at, word := range words {
		words[at] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

func answer(client *blueque.Client, about manifest, asked request) any {
	if asked.Words != nil {
		words := []string{}
		for _, word := range asked.Words {
			words = append(words, string(word))
		}
		reply, err := client.Server.Do(words...)
		if err != nil {
			return map[string]any{"error": err.Error()}
		}
		return map[string]any{"reply": replied(reply)}
	}
	found, err := call(client, about, asked)
	var failure *blueque.Error
	if errors.As(err, &failure) {
		return map[string]any{"error": errors.Unwrap(failure).Error(), "code": failure.Code, "remedy": failure.Remedy}
	}
	if errors.As(err, &unsendable{}) {
		return map[string]any{"unsendable": err.Error()}
	}
	check(err)
	return found
}

func main() {
	var about manifest
	file, err := os.ReadFile(filepath.Join(os.Getenv("BLUEQUE_BUNDLE"), "manifest.json"))
	check(err)
	check(json.Unmarshal(file, &about))
	client, err := blueque.New(os.Getenv("BLUEQUE_URL"))
	check(err)
	lines, out := bufio.NewReader(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked request
		check(json.Unmarshal(line, &asked))
		check(out.Encode(answer(client, about, asked)))
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
