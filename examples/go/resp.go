package blueque

// A connection in the protocol of Redis, version 2.

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The time limit of one command.
const patience = 10 * time.Second

// The largest string of a reply: what a server itself allows.
const largest = 512 << 20

type connection struct {
	network, address string
	handshake        [][]string
	lock             sync.Mutex
	at               net.Conn
	reader           *bufio.Reader
}

// Dial gives a connection to a URL; it is made with the first command.
func Dial(address string) (Server, error) {
	at, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("CONNECTION: the URL is malformed") // without its text, which contains the password
	}
	c := &connection{network: "tcp", address: at.Host}
	switch at.Scheme {
	case "redis":
		if at.Port() == "" {
			c.address = net.JoinHostPort(at.Hostname(), "6379")
		}
	case "unix":
		c.network, c.address = "unix", at.Path
	default:
		return nil, fmt.Errorf("CONNECTION: the URL begins with %s:, not with redis: or unix:", at.Scheme)
	}
	if secret, ok := at.User.Password(); ok {
		login := []string{"AUTH"}
		if name := at.User.Username(); name != "" {
			login = append(login, name)
		}
		c.handshake = append(c.handshake, append(login, secret))
	}
	if database := strings.TrimPrefix(at.Path, "/"); at.Scheme == "redis" && database != "" {
		c.handshake = append(c.handshake, []string{"SELECT", database})
	}
	return c, nil
}

// Do sends a command and reads its reply. After an error of the connection the next command makes a new one.
func (c *connection) Do(words ...string) (any, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.at == nil {
		if err := c.connect(); err != nil {
			c.close()
			return nil, err
		}
	}
	return c.send(words)
}

func (c *connection) connect() (err error) {
	if c.at, err = net.DialTimeout(c.network, c.address, patience); err != nil {
		return err
	}
	c.reader = bufio.NewReader(c.at)
	for _, words := range c.handshake {
		if _, err := c.send(words); err != nil {
			return err
		}
	}
	return nil
}

func (c *connection) close() {
	if c.at != nil {
		c.at.Close()
		c.at = nil
	}
}

func (c *connection) send(words []string) (any, error) {
	var sent strings.Builder
	fmt.Fprintf(&sent, "*%d\r\n", len(words))
	for _, word := range words {
		fmt.Fprintf(&sent, "$%d\r\n%s\r\n", len(word), word)
	}
	err := c.at.SetDeadline(time.Now().Add(patience))
	if err == nil {
		_, err = io.WriteString(c.at, sent.String())
	}
	var reply any
	if err == nil {
		reply, err = c.read()
	}
	if err != nil {
		c.close()
		return nil, err
	}
	if failed, ok := reply.(Reply); ok {
		if strings.HasPrefix(string(failed), "READONLY") {
			c.close() // the server is a replica now: the address may lead to another server
		}
		return nil, failed
	}
	return reply, nil
}

func (c *connection) read() (any, error) {
	line, err := c.reader.ReadString('\n')
	if err != nil {
		return nil, err
	}
	if len(line) < 3 || line[len(line)-2] != '\r' {
		return nil, fmt.Errorf("the server does not speak the protocol of Redis: %q", line)
	}
	kind, rest := line[0], line[1:len(line)-2]
	switch kind {
	case '+':
		return rest, nil
	case '-':
		return Reply(rest), nil
	}
	number, err := strconv.ParseInt(rest, 10, 64)
	switch {
	case err != nil || kind != ':' && number > largest:
		return nil, fmt.Errorf("the server does not speak the protocol of Redis: %q", line)
	case kind == ':':
		return number, nil
	case number < 0:
		return nil, nil
	case kind == '$':
		found := make([]byte, number+2)
		_, err := io.ReadFull(c.reader, found)
		return string(found[:number]), err
	case kind == '*':
		found := []any{}
		for ; number > 0; number-- {
			each, err := c.read()
			if err != nil {
				return nil, err
			}
			found = append(found, each)
		}
		return found, nil
	}
	return nil, fmt.Errorf("the server does not speak the protocol of Redis: %q", line)
}
