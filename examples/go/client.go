// Package blueque is a small client for Blueque, made as docs/contribute/new-client.md says: the calls in calls.go are
// generated from the manifest; this file sends them.
package blueque

import (
	"embed"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
)

//go:embed scripts/*.lua
var scripts embed.FS

// Server sends a command of the server, such as EVALSHA, on a connection. After an error it connects again. A reply is a
// string, an int64, nil, or an []any of these; an error that the server replies is a Reply. The server of Dial is
// small; a library for Redis fits in here as well.
type Server interface {
	Do(words ...string) (any, error)
}

// Reply is an error that the server has replied: its code is the first word.
type Reply string

func (r Reply) Error() string { return string(r) }

// Error is an error with a stable code and a remedy.
type Error struct {
	Code, Detail, Remedy string
	// Repeat: the same call may succeed later.
	Repeat bool
	cause  error
}

func (e *Error) Error() string { return strings.TrimSpace(e.Code + ": " + e.Detail + " " + e.Remedy) }

// Unwrap gives the error behind it.
func (e *Error) Unwrap() error { return e.cause }

// Client sends calls to a server.
type Client struct {
	Server Server
	// Namespace is the prefix of all keys.
	Namespace string
	// Limit is the longest time of a call, with all its repetitions. With 0 the call is sent once.
	Limit time.Duration
}

// New returns a client for a URL, such as redis://localhost:6379 or unix:///run/redis.sock. The first call connects.
func New(url string) (*Client, error) {
	server, err := Dial(url)
	return &Client{Server: server, Namespace: "blueque", Limit: 30 * time.Second}, err
}

// Run makes a call and sends it again until a reply arrives, or until the client's limit is over.
func (c Call[T]) Run(client *Client) (result T, err error) {
	until, pause := time.Now().Add(client.Limit), 10*time.Millisecond
	body := false
	for {
		reply, err := c.send(client, body)
		if err == nil {
			if misfit := c.shape.read(reply, reflect.ValueOf(&result).Elem()); misfit != nil {
				return result, &Error{Code: "REPLY", Detail: fmt.Sprintf("the reply to %s does not match the contract: %v.", c.Command, misfit)}
			}
			return result, nil
		}
		var replied Reply
		if errors.As(err, &replied) && strings.HasPrefix(string(replied), "NOSCRIPT") && !body {
			body = true // only this time: EVAL puts it into the server's cache
			continue
		}
		failure := judged(err)
		if !failure.Repeat || time.Now().Add(pause).After(until) {
			return result, failure
		}
		time.Sleep(pause)
		if pause *= 2; pause > 500*time.Millisecond {
			pause = 500 * time.Millisecond
		}
	}
}

func (c Call[T]) send(client *Client, whole bool) (any, error) {
	words := []string{"EVALSHA", digests[c.Command]}
	if whole {
		script, err := scripts.ReadFile("scripts/" + c.Command + ".lua")
		if err != nil {
			return nil, err
		}
		words = []string{"EVAL", string(script)}
	}
	words = append(words, "1", client.Namespace+"_meta")
	return client.Server.Do(append(words, c.Sent...)...)
}

// The server's reply to a new connection, before it closes the connection.
const full = "ERR max number of clients"

// judged sorts an error: a verdict of a script or of the server by its code, or no answer, after which the same call is
// sent again.
func judged(err error) *Error {
	var reply Reply
	if !errors.As(err, &reply) || strings.HasPrefix(string(reply), full) {
		remedy := "Check that the server runs and is reachable; the same call may be repeated."
		return &Error{Code: "UNAVAILABLE", Detail: err.Error() + ".", Remedy: remedy, Repeat: true, cause: err}
	}
	code, detail, _ := strings.Cut(string(reply), " ")
	about := codes[code]
	return &Error{Code: code, Detail: detail, Remedy: about.remedy, Repeat: about.repeat, cause: err}
}
