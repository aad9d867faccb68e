// Writes calls.go and scripts/ from a bundle: go run ./generate BUNDLE_DIRECTORY
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"go/token"
	"log"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"
)

// The parts of the manifest that the generator needs.
type (
	manifest struct {
		Version string
		Types   map[string]*kind
		Errors  map[string]struct {
			Act    string
			Repeat bool
		}
		Constants map[string]constant
		Commands  map[string]*command
	}
	constant struct {
		Value       int
		Unit, Means string
	}
	kind struct {
		Form      string
		Low, High *float64
		Words     []string
		Good      []any
	}
	argument struct{ Name, Type, Means, Default, Setting string }
	command  struct {
		Summary, Sha1, File string
		Args, Options       []argument
		Group               *struct {
			Args  []argument
			Count string
		}
		Reply     shape
		ReplyText string `json:"reply_text"`
		Errors    []string
		Request   bool
	}
	field struct {
		Name, Type, Means  string
		Words              []string
		Nil, Empty, Absent bool
	}
	shape struct {
		Words              []string
		Value              *field
		List, Items, Pairs []field
		Begins             string
		Nil, Absent, Open  bool
		With               map[string]shape
	}
)

// The data from which the template makes a function.
type function struct {
	*command
	Command, Name string
	Shape         shape
	Options       []argument
	// Needed is the option with which the reply has this shape. That function requires the option.
	Needed string
}

var all manifest

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: go run ./generate BUNDLE_DIRECTORY")
	}
	bundle := os.Args[1]
	read, err := os.ReadFile(filepath.Join(bundle, "manifest.json"))
	check(err)
	check(json.Unmarshal(read, &all))

	check(os.RemoveAll("scripts"))
	check(os.Mkdir("scripts", 0o755))
	var functions []function
	for _, name := range sorted(all.Commands) {
		script, err := os.ReadFile(filepath.Join(bundle, all.Commands[name].File))
		check(err)
		check(os.WriteFile(filepath.Join("scripts", name+".lua"), script, 0o644))
		functions = append(functions, functionsOf(name, all.Commands[name])...)
	}
	out := new(bytes.Buffer)
	check(calls.Execute(out, map[string]any{"Manifest": all, "Functions": functions}))
	source, err := format.Source(out.Bytes())
	check(err)
	check(os.WriteFile("calls.go", source, 0o644))
}

// functionsOf gives the function of a command, and one more for each option with which the reply has another shape.
func functionsOf(name string, of *command) []function {
	others := sorted(of.Reply.With)
	found := []function{{command: of, Command: name, Name: public(name), Shape: of.Reply, Options: without(of.Options, others)}}
	for at, option := range others {
		options := without(of.Options, others[:at])
		own := public(name + "_" + option)
		found = append(found, function{of, name, own, of.Reply.With[option], options, option})
	}
	return found
}

func without(options []argument, names []string) (left []argument) {
	for _, option := range options {
		if !contains(names, option.Name) {
			left = append(left, option)
		}
	}
	return left
}

// Names

func public(name string) string {
	words := strings.FieldsFunc(name, func(letter rune) bool { return strings.ContainsRune("_.*", letter) })
	for at, word := range words {
		words[at] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

func private(name string) string {
	name = public(name)
	name = strings.ToLower(name[:1]) + name[1:]
	if token.IsKeyword(name) || name == "options" || name == "each" || name == "words" {
		name += "_"
	}
	return name
}

// Types

var numbers = map[string]string{"whole": "int64", "seconds": "float64", "decimal": "float64", "flag": "bool", "bytes": "[]byte"}

// given is the type of an argument. Numbers whose examples have an empty text may be left out: nil.
func given(name string) string {
	of := all.Types[name]
	found, ok := numbers[of.Form]
	if !ok {
		return "string"
	}
	for _, example := range of.Good {
		if example == "" && of.Form != "bytes" {
			return "*" + found
		}
	}
	return found
}

// option is the type of an option; nil: it is not given.
func option(name string) string {
	if found := given(name); found == "[]byte" {
		return found
	}
	return "*" + given(name)
}

// got is the type of a field of a reply.
func got(of field, absent bool) string {
	found := "string"
	if kind := all.Types[of.Type]; kind != nil {
		if kind.Form == "words" {
			found = "[]string"
		} else if number, ok := numbers[kind.Form]; ok {
			found = number
			if len(of.Words) > 0 {
				found = "NumberOrWord"
			}
		}
	}
	if strings.HasSuffix(of.Name, "*") {
		return "map[string]" + found
	}
	if (absent || of.Nil || of.Empty || of.Absent) && !strings.HasPrefix(found, "[]") {
		found = "*" + found
	}
	return found
}

// Replies

func (f function) single() *field {
	if f.Shape.Words != nil {
		return &field{Name: "reply", Words: f.Shape.Words}
	}
	return f.Shape.Value
}

func (f function) item() string {
	if len(f.Shape.Items) == 1 {
		return got(f.Shape.Items[0], false)
	}
	return f.Name + "Item"
}

// Reply is the type of the reply.
func (f function) Reply() string {
	switch {
	case f.single() != nil:
		return got(*f.single(), f.Shape.Nil)
	case f.Shape.Begins != "":
		return "[]" + f.Name + "Reply"
	case f.Shape.Pairs == nil && f.Shape.List == nil:
		return "[]" + f.item()
	case f.Shape.Nil:
		return "*" + f.Name + "Reply"
	}
	return f.Name + "Reply"
}

// Structs are the declarations of its types.
func (f function) Structs() string {
	out := new(strings.Builder)
	write := func(name, about string, fields []field, more string) {
		fmt.Fprintf(out, "// %s is %s of `%s`.\ntype %s struct {\n", name, about, f.Command, name)
		for _, each := range fields {
			fmt.Fprintf(out, "%s%s %s\n", comment(each.Means), public(each.Name), got(each, f.Shape.Absent))
		}
		fmt.Fprintf(out, "%s}\n\n", more)
	}
	if len(f.Shape.Items) > 1 {
		write(f.Name+"Item", "an entry of the reply", f.Shape.Items, "")
	}
	more := ""
	if f.Shape.Items != nil {
		more = "Items []" + f.item() + "\n"
	}
	if f.Shape.Open {
		more = "// Fields of other programs and later versions.\nExtra map[string][]byte\n"
	}
	if f.Shape.List != nil || f.Shape.Pairs != nil {
		write(f.Name+"Reply", "the reply", append(f.Shape.List, f.Shape.Pairs...), more)
	}
	if f.Group != nil && len(f.Group.Args) > 1 && f.Needed == "" {
		fmt.Fprintf(out, "// %sEach is an entry of a call of `%s`.\ntype %sEach struct {\n", f.Name, f.Command, f.Name)
		for _, each := range f.Group.Args {
			fmt.Fprintf(out, "%s%s %s `wire:%q`\n", comment(each.Means), public(each.Name), given(each.Type), each.Name)
		}
		fmt.Fprint(out, "}\n\n")
	}
	if len(f.Options) > 0 {
		fmt.Fprintf(out, "// %sOptions are the options of `%s`; nil: not given.\ntype %sOptions struct {\n", f.Name, f.Command, f.Name)
		for _, each := range f.Options {
			means := each.Means
			if each.Setting != "" {
				means += " By default the setting `" + each.Setting + "`."
			} else if each.Default != "" {
				means += " By default " + each.Default + "."
			}
			fmt.Fprintf(out, "%s%s %s `wire:%q`\n", comment(means), public(each.Name), option(each.Type), each.Name)
		}
		fmt.Fprint(out, "}\n\n")
	}
	return out.String()
}

// Form is the shape as a value of Go.
func (f function) Form() string {
	fields := func(of []field) string {
		out := new(strings.Builder)
		out.WriteString("[]field{\n")
		for _, each := range of {
			out.WriteString(formOf(each) + ",\n")
		}
		return out.String() + "}"
	}
	out := "shape{"
	if single := f.single(); single != nil {
		out += "single: &field" + formOf(*single) + ","
	}
	for at, of := range [][]field{f.Shape.List, f.Shape.Items, f.Shape.Pairs} {
		if of != nil {
			out += []string{"list", "items", "pairs"}[at] + ": " + fields(of) + ","
		}
	}
	return fmt.Sprintf("%s begins: %q, null: %t, absent: %t, open: %t}", out, f.Shape.Begins, f.Shape.Nil, f.Shape.Absent, f.Shape.Open)
}

func formOf(of field) string {
	out := fmt.Sprintf("{name: %q", of.Name)
	if of.Type != "" {
		out += fmt.Sprintf(", kind: types[%q]", of.Type)
	}
	if of.Words != nil {
		out += fmt.Sprintf(", words: %#v", of.Words)
	}
	return out + fmt.Sprintf(", null: %t, empty: %t, absent: %t}", of.Nil, of.Empty, of.Absent)
}

// Calls

// Parameters are the parameters of the function.
func (f function) Parameters() string {
	var out []string
	for _, each := range f.taken() {
		out = append(out, private(each.Name)+" "+given(each.Type))
	}
	if f.Group != nil {
		if len(f.Group.Args) == 1 {
			out = append(out, "each []"+given(f.Group.Args[0].Type))
		} else {
			out = append(out, "each []"+public(f.Command)+"Each")
		}
	}
	if len(f.Options) > 0 {
		out = append(out, "options "+f.Name+"Options")
	}
	return strings.Join(out, ", ")
}

// taken are the arguments that the caller passes: all but `now` and the number of entries, which is counted.
func (f function) taken() (found []argument) {
	for _, each := range f.Args {
		if each.Name != "now" && (f.Group == nil || each.Name != f.Group.Count) {
			found = append(found, each)
		}
	}
	return found
}

// Body adds the arguments in the order of the manifest, then the entries, then the options.
func (f function) Body() string {
	out := new(strings.Builder)
	for _, each := range f.Args[1:] {
		value := private(each.Name)
		if f.Group != nil && each.Name == f.Group.Count {
			value = "len(each)"
		}
		fmt.Fprintf(out, "sent.add(%s)\n", value)
	}
	if f.Group != nil && len(f.Group.Args) == 1 {
		out.WriteString("for _, one := range each {\nsent.add(one)\n}\n")
	} else if f.Group != nil {
		out.WriteString("for _, one := range each {\n")
		for _, each := range f.Group.Args {
			fmt.Fprintf(out, "sent.add(one.%s)\n", public(each.Name))
		}
		out.WriteString("}\n")
	}
	for _, each := range f.Options {
		fmt.Fprintf(out, "sent.option(%q, options.%s)\n", each.Name, public(each.Name))
	}
	return out.String()
}

func comment(text string) string { return "// " + strings.ReplaceAll(text, "\n", " ") + "\n" }

var calls = template.Must(template.New("calls").Funcs(template.FuncMap{"join": strings.Join, "public": public}).Parse(
	`// Code generated by generate from the bundle's manifest; DO NOT EDIT.

package blueque

import "time"

// The numbers that every worker and every client shares.
const (
{{- range $name, $of := .Manifest.Constants}}
	// {{$of.Means}}
	{{public $name}} = {{$of.Number}}
{{- end}}
)

// Version is the version of the bundle.
const Version = {{printf "%q" .Manifest.Version}}

var types = map[string]*kind{
{{- range $name, $of := .Manifest.Types}}
	{{printf "%q" $name}}: {form: {{printf "%q" $of.Form}}, low: {{$of.Least}}, high: {{$of.Most}}{{if $of.Words}}, words: {{printf "%#v" $of.Words}}{{end}}},
{{- end}}
}

var codes = map[string]struct{ remedy string; repeat bool }{
{{- range $code, $of := .Manifest.Errors}}
	{{printf "%q" $code}}: { {{printf "%q" $of.Act}}, {{$of.Repeat}} },
{{- end}}
}

var digests = map[string]string{
{{- range $name, $of := .Manifest.Commands}}
	{{printf "%q" $name}}: {{printf "%q" $of.Sha1}},
{{- end}}
}

// Functions are the functions below by their names: for programs that choose one as they run.
var Functions = map[string]any{
{{- range .Functions}}
	{{printf "%q" .Name}}: {{.Name}},
{{- end}}
}
{{range .Functions}}
{{.Structs}}
var shapeOf{{.Name}} = {{.Form}}

// {{.Name}} makes a call of ` + "`{{.Command}}`" + `: {{.Summary}}
//
// Reply: {{.ReplyText}}
//
// Errors: {{join .Errors ", "}}.
func {{.Name}}({{.Parameters}}) Call[{{.Reply}}] {
	sent := words{""} // the server's time
	{{.Body -}}
	return Call[{{.Reply}}]{ {{- printf "%q" .Command}}, sent, &shapeOf{{.Name}}, {{.Request -}} }
}
{{end}}`))

// Number is the value: of a time with its unit.
func (c constant) Number() string {
	unit, ok := map[string]string{"seconds": "time.Second", "milliseconds": "time.Millisecond"}[c.Unit]
	if !ok {
		return fmt.Sprint(c.Value)
	}
	return fmt.Sprintf("%d * %s", c.Value, unit)
}

// Least is the lower bound.
func (k *kind) Least() string { return bound(k.Low, "0") }

// Most is the upper bound.
func (k *kind) Most() string { return bound(k.High, "1e300") }

func bound(of *float64, none string) string {
	if of == nil {
		return none
	}
	return fmt.Sprintf("%.0f", *of)
}

func sorted[T any](of map[string]T) (names []string) {
	for name := range of {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func contains(words []string, word string) bool {
	for _, each := range words {
		if each == word {
			return true
		}
	}
	return false
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
