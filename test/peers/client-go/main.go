// Runs client-go's ordinary code against the API server of KUBECONFIG: what a controller written in Go does, from typed
// writes to leader election. Prints a line "ok <what>" for each thing that works; the first that does not ends the
// program with status 1 and the reason.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// How long anything may take to happen.
const patience = 10 * time.Second

// peer is what every step works with: the clients, and a namespace of this run's own.
type peer struct {
	typed     kubernetes.Interface
	dynamic   dynamic.Interface
	metadata  metadata.Interface
	namespace string
}

type step struct {
	what string
	run  func(context.Context, *peer) error
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "client-go: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	p, err := connect()
	if err != nil {
		return err
	}
	namespace, err := p.typed.CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "client-go-"}}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("a namespace: %w", err)
	}
	p.namespace = namespace.Name
	for _, steps := range [][]step{
		discoverySteps, objectSteps, informerSteps, watchSteps, customSteps, applySteps, controllerSteps, endSteps,
	} {
		for _, s := range steps {
			if err := s.run(ctx, p); err != nil {
				return fmt.Errorf("%s: %w", s.what, err)
			}
			fmt.Println("ok", s.what)
		}
	}
	return nil
}

func connect() (*peer, error) {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
	if err != nil {
		return nil, err
	}
	// Many small requests in a row; the client's own brake would only make this slow.
	config.QPS = -1
	// Built-in kinds go as protobuf, as in every controller made with controller-runtime.
	protobuf := rest.CopyConfig(config)
	protobuf.ContentType = runtime.ContentTypeProtobuf
	protobuf.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON

	p := &peer{}
	if p.typed, err = kubernetes.NewForConfig(protobuf); err != nil {
		return nil, err
	}
	if p.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, err
	}
	if p.metadata, err = metadata.NewForConfig(metadata.ConfigFor(config)); err != nil {
		return nil, err
	}
	return p, nil
}

// await returns the channel's next value.
func await[T any](ctx context.Context, values <-chan T, what string) (T, error) {
	var none T
	select {
	case value, open := <-values:
		if !open {
			return none, fmt.Errorf("%s: the channel was closed", what)
		}
		return value, nil
	case <-time.After(patience):
		return none, fmt.Errorf("%s: not within %v", what, patience)
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// until asks again and again whether something is so; an error ends it.
func until(ctx context.Context, what string, is func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		done, err := is(ctx)
		if errors.Is(err, context.DeadlineExceeded) || (err == nil && !done && ctx.Err() != nil) {
			return fmt.Errorf("%s: not within %v", what, patience)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if done {
			return nil
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// expect is an error that says what was wanted, unless it is so.
func expect(is bool, format string, arguments ...any) error {
	if is {
		return nil
	}
	return fmt.Errorf("expected "+format, arguments...)
}

// must is for an error that has to be one of a kind.
func must(err error, is func(error) bool, kind string) error {
	if err == nil {
		return fmt.Errorf("expected %s, but it worked", kind)
	}
	if !is(err) {
		return fmt.Errorf("expected %s, not: %w", kind, err)
	}
	return nil
}
