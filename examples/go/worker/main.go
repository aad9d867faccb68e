// A worker that runs one task at a time: worker URL QUEUE. The result of a task is its parameters, a JSON text, in
// capitals.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	blueque "blueque.example/client"
)

// work is the handler. It returns soon after its context is done.
func work(ctx context.Context, parameters []byte) (any, error) {
	var text string
	if err := json.Unmarshal(parameters, &text); err != nil {
		return nil, err
	}
	return strings.ToUpper(text), ctx.Err()
}

type worker struct {
	// Both clients are used at the same time, and a client is a single connection.
	client, heart   *blueque.Client
	queue, listener string
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: worker URL QUEUE")
	}
	host, err := os.Hostname()
	check(err)
	// Containers share host names and process ids: the random part makes the id its own.
	random := make([]byte, 3)
	_, err = rand.Read(random)
	check(err)
	own := fmt.Sprintf("%s:-%x_%d", strings.ReplaceAll(host, "_", "-"), random, os.Getpid())
	w := worker{queue: os.Args[2], listener: own}
	w.client, err = blueque.New(os.Args[1])
	check(err)
	w.heart, err = blueque.New(os.Args[1])
	check(err)
	_, err = blueque.Register(w.queue, w.listener, blueque.RegisterOptions{}).Run(w.client)
	check(err)

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	for ctx.Err() == nil {
		w.maintenance()
		take := blueque.Reserve(w.listener, []string{w.queue}, blueque.ReserveOptions{Pid: blueque.Some(int64(os.Getpid()))})
		tasks, err := take.Once().Run(w.client)
		check(err)
		for _, task := range tasks {
			w.attempt(ctx, task)
		}
		if len(tasks) == 0 {
			select {
			case <-ctx.Done():
			case <-time.After(200 * time.Millisecond):
			}
		}
	}
	_, err = blueque.Unregister(w.queue, w.listener).Run(w.client)
	check(err)
}

// maintenance does the work that no task requests: due tasks, orphans, repairs.
func (w *worker) maintenance() {
	for {
		done, err := blueque.Maintenance([]string{w.queue}).Run(w.client)
		check(err)
		if !done.More {
			return
		}
	}
}

// attempt runs the handler and sends its end. Heartbeats run at the same time.
func (w *worker) attempt(ctx context.Context, task blueque.ReserveItem) {
	ctx, cancel := context.WithCancel(ctx)
	over, lost := make(chan struct{}), make(chan bool)
	go func() { lost <- w.beat(task, cancel, over) }()
	result, err := work(ctx, task.Parameters)
	stopped := ctx.Err() != nil
	var body []byte
	if err == nil {
		body, err = json.Marshal(result)
	}
	close(over)
	if <-lost {
		return // what this attempt made is not wanted any more
	}
	switch {
	case err == nil:
		_, err = blueque.Complete(task.Id, task.Token, body, blueque.CompleteOptions{}).Run(w.client)
	case stopped:
		_, err = blueque.Release(task.Id, task.Token, blueque.ReleaseOptions{}).Run(w.client)
	default:
		_, err = blueque.Fail(task.Id, task.Token, []byte(err.Error()), blueque.FailOptions{}).Run(w.client)
	}
	var failure *blueque.Error
	if errors.As(err, &failure) && failure.Code == "LOST" {
		return
	}
	check(err)
}

// beat renews the lease until the attempt is over. It stops the handler after an order to stop, or if the lease is
// lost.
func (w *worker) beat(task blueque.ReserveItem, stop func(), over chan struct{}) (lost bool) {
	lease := time.Duration(task.Lease) * time.Microsecond
	sent := time.Now()
	for {
		select {
		case <-over:
			return lost
		case <-time.After(lease / blueque.HeartbeatsPerLease):
		}
		now := time.Now()
		held := []blueque.HeartbeatEach{{Id: task.Id, Token: task.Token}}
		answer, err := blueque.Heartbeat(w.queue, w.listener, lease.Seconds(), held).Run(w.heart)
		if err == nil {
			sent = now
			if order := answer.Items[0]; order != "continue" {
				lost = lost || order == "lost"
				stop()
			}
		} else if now.Sub(sent) >= lease {
			lost = true // another owner may have it
			stop()
		}
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
