package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"

	corev1 "k8s.io/api/core/v1"
)

const maxPodBytes = 1 << 20

// encodePods writes each pod as its length (four bytes, big endian) and its protobuf.
func encodePods(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	file, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	out := bufio.NewWriterSize(file, 1<<20)

	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, maxPodBytes), maxPodBytes)
	for number := 1; lines.Scan(); number++ {
		if err := encodePod(lines.Bytes(), out); err != nil {
			return fmt.Errorf("%s:%d: %w", from, number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return out.Flush()
}

func encodePod(text []byte, out io.Writer) error {
	var pod corev1.Pod
	if err := json.Unmarshal(text, &pod); err != nil {
		return err
	}
	data, err := pod.Marshal()
	if err != nil {
		return err
	}
	if err := binary.Write(out, binary.BigEndian, uint32(len(data))); err != nil {
		return err
	}
	_, err = out.Write(data)
	return err
}
