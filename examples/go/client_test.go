package blueque

// Tests on a private server: a task through the worker, a server that restarts, and wrong URLs.

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func server(t *testing.T, socket string) *exec.Cmd {
	program := os.Getenv("BLUEQUE_REDIS_SERVER")
	if program == "" {
		program = "redis-server"
	}
	command := exec.Command(program, "--port", "0", "--unixsocket", socket, "--save", "", "--dir", filepath.Dir(socket))
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	return command
}

func eventually(t *testing.T, what string, there func() bool) {
	for until := time.Now().Add(20 * time.Second); !there(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("%s not in time", what)
		}
	}
}

func submit(t *testing.T, client *Client, id, parameters string) {
	each := []SubmitEach{{Id: id, Parameters: []byte(parameters)}}
	options := SubmitOptions{MaxFailures: Some(int64(0))}
	if _, err := Submit("capitals", each, options).Once().Run(client); err != nil {
		t.Fatal(err)
	}
}

func state(client *Client, id string) string {
	record, err := Get(id).Run(client)
	if err != nil || record == nil || record.Status == nil {
		return fmt.Sprint(err)
	}
	return *record.Status
}

func TestATaskThroughTheWorker(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "redis.sock")
	server(t, socket)
	client, err := New("unix://" + socket)
	if err != nil {
		t.Fatal(err)
	}
	submit(t, client, "good", `"film"`)
	submit(t, client, "bad", `{`)
	worker := exec.Command("build/worker", "unix://"+socket, "capitals")
	worker.Stderr = os.Stderr
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "both", func() bool { return state(client, "good") == "complete" && state(client, "bad") == "failed" })
	record, err := Get("good").Run(client)
	if err != nil || string(record.Result) != `"FILM"` {
		t.Fatal(err, string(record.Result))
	}
	if err := worker.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := worker.Wait(); err != nil {
		t.Fatal(err)
	}
	numbers, err := Counts("capitals").Run(client)
	if err != nil || numbers.Listeners != 0 {
		t.Fatal(err, numbers)
	}
}

func TestACallOutlivesARestartOfItsServer(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "redis.sock")
	before := server(t, socket)
	client, _ := New("unix://" + socket)
	submit(t, client, "a", `1`)
	_ = before.Process.Kill()
	_ = before.Wait()
	server(t, socket)
	submit(t, client, "b", `2`) // while it starts, on a new connection, without its scripts
	if found := state(client, "b"); found != "pending" {
		t.Fatal(found)
	}
}

func TestWrongCallsSayWhatToDo(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "redis.sock")
	server(t, socket)
	client, _ := New("unix://" + socket)
	_, err := Cancel("none", nil, CancelOptions{}).Run(client)
	var failure *Error
	if !errors.As(err, &failure) || failure.Code != "NOTASK" || failure.Remedy == "" || failure.Repeat {
		t.Fatal(err)
	}
	client.Limit = 50 * time.Millisecond
	client.Server, _ = Dial("unix://" + socket + ".none")
	if _, err = Counts("q").Run(client); !errors.As(err, &failure) || failure.Code != "UNAVAILABLE" {
		t.Fatal(err)
	}
	if _, err := New("http://user:secret@host"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Fatal(err)
	}
}

func TestACallWaitsForAServerWithTooManyClients(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "redis.sock")
	server(t, socket)
	client, _ := New("unix://" + socket)
	submit(t, client, "a", `1`)
	set := func(most string) {
		if _, err := client.Server.Do("CONFIG", "SET", "maxclients", most); err != nil {
			t.Fatal(err)
		}
	}
	set("1")
	other, _ := New("unix://" + socket)
	found := make(chan string)
	go func() { found <- state(other, "a") }()
	eventually(t, "a refusal", func() bool {
		about, _ := client.Server.Do("INFO", "stats")
		return !strings.Contains(fmt.Sprint(about), "rejected_connections:0\r")
	})
	set("100")
	if found := <-found; found != "pending" {
		t.Fatal(found)
	}
}
