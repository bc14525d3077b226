#ifndef KINFORMER_TEST_HOSTILE_HTTP2_SERVER_H_
#define KINFORMER_TEST_HOSTILE_HTTP2_SERVER_H_

#include <openssl/ssl.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "test/support/fd.h"
#include "test/support/test_ca.h"

namespace kinformer::testing_support {

/// Frame types of RFC 9113, section 6.
enum class FrameType : std::uint8_t {
  kData = 0,
  kHeaders = 1,
  kReset = 3,
  kSettings = 4,
  kPushPromise = 5,
  kPing = 6,
  kGoaway = 7,
  kWindowUpdate = 8,
  kContinuation = 9,
};
inline constexpr std::uint8_t kEndStream = 1;
inline constexpr std::uint8_t kAck = 1;
inline constexpr std::uint8_t kEndHeaders = 4;
inline constexpr std::uint8_t kPadded = 8;

struct Frame {
  FrameType type = FrameType::kData;
  std::uint8_t flags = 0;
  std::uint32_t stream = 0;
  std::string payload{};

  std::string Bytes() const;
};

/// Four bytes, big-endian.
std::string Number(std::uint32_t number);
std::string Setting(std::uint16_t name, std::uint32_t value);
/// An HPACK literal header without indexing or Huffman coding. Name and value must each be shorter than 127 bytes.
std::string PlainHeader(std::string_view name, std::string_view value);
/// ":status: 200" as an index into HPACK's static table.
inline constexpr std::string_view kStatus200 = "\x88";

/// A client connection of an Http2Server, used by its script.
class Http2Connection {
 public:
  Http2Connection(SSL* ssl, const std::atomic<std::size_t>* stop) : ssl_(ssl), stop_(stop) {}

  /// False if the client is gone or the server is stopping.
  bool Send(std::string_view bytes);
  bool Send(const Frame& frame) { return Send(frame.Bytes()); }
  /// Sends the bytes over and over until the client is gone; counts them in `sent`.
  void SendForever(const std::string& bytes, std::atomic<std::size_t>& sent);
  /// As SendForever, but with TLS key updates.
  void ChangeKeysForever(std::atomic<std::size_t>& changes);
  /// The next frame, or nullopt when the client is gone.
  std::optional<Frame> Receive();
  /// Waits for the client's next request and returns its stream id. Acknowledges the client's settings.
  std::optional<std::uint32_t> AwaitRequest();
  /// Sends an ordinary response.
  bool Answer(std::uint32_t stream, std::string_view body);
  /// Blocks until the client goes away.
  void AwaitEnd();

 private:
  bool ReadExactly(std::size_t size, std::string& bytes);

  SSL* const ssl_;
  const std::atomic<std::size_t>* const stop_;
  bool has_preface_ = false;
};

/// A TLS server on 127.0.0.1 that negotiates HTTP/2 and then runs a script on each connection, frame by frame. Each
/// connection has a thread; the destructor breaks all connections and joins.
class Http2Server {
 public:
  using Script = std::function<void(Http2Connection&)>;

  explicit Http2Server(Script script);
  ~Http2Server();
  Http2Server(const Http2Server&) = delete;
  Http2Server& operator=(const Http2Server&) = delete;

  /// Applies to new connections.
  void Do(Script script);
  std::string url() const;
  const std::string& ca_pem() const { return ca_.CertPem(); }
  std::size_t connections() const { return connections_; }

 private:
  struct Open;
  void Accept();
  void Serve(Open& open);

  const TestCa ca_;
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_;
  Fd listener_;
  WakeFd wake_;
  std::atomic<std::size_t> stop_ = 0;
  std::atomic<std::size_t> connections_ = 0;
  std::mutex mutex_;
  Script script_;
  std::vector<std::unique_ptr<Open>> open_;
  std::thread acceptor_;
};

}  // namespace kinformer::testing_support

#endif  // KINFORMER_TEST_HOSTILE_HTTP2_SERVER_H_
