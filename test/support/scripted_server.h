#ifndef KINFORMER_TEST_SUPPORT_SCRIPTED_SERVER_H_
#define KINFORMER_TEST_SUPPORT_SCRIPTED_SERVER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "test/support/test_ca.h"

namespace kinformer::testing_support {

inline constexpr std::chrono::milliseconds kPatience{10'000};

/// Orders header names without regard to case.
struct IgnoreCase {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const;
};
using HeaderMap = std::multimap<std::string, std::string, IgnoreCase>;

/// A request as it came in.
struct ReceivedRequest {
  std::string method;
  /// Path and query as they stood in the request line.
  std::string target;
  /// Decoded.
  std::string path;
  std::multimap<std::string, std::string> query;
  HeaderMap headers;
  std::string body;
  /// The common name of the client's certificate; empty without one.
  std::string client_cn;
  /// Counts the server's connections from 1. Two requests with one id came over one connection.
  std::uint64_t connection_id = 0;
  int peer_port = 0;

  /// The first of that name, or "".
  std::string Header(std::string_view name) const;
  std::string Query(const std::string& name) const;
};

/// What a streaming body writes to, on the connection's own thread.
class BodyWriter {
 public:
  virtual ~BodyWriter() = default;

  /// Sends the bytes as one HTTP chunk, at once. Blocks while the client does not read. False: the client is gone or
  /// the server stops.
  virtual bool Write(std::string_view bytes) = 0;
  /// Puts bytes onto the connection as they are, outside of any chunk.
  virtual bool WriteRaw(std::string_view bytes) = 0;
  /// Blocks for that long (nullopt: for ever), or until Wake, the client goes away or the server stops. False: one of
  /// the last two.
  virtual bool Wait(std::optional<std::chrono::milliseconds> time) = 0;
  /// Ends a Wait, now or the next one. The only member for use from other threads.
  virtual void Wake() = 0;
  /// At the end of the body, the connection is reset (RST) instead of closed.
  virtual void ResetAtEnd() = 0;
};

/// A test's hand on one streaming body. Copies are the same stream. Thread-safe.
///
/// Make it, give it away with Reply::Stream, then feed it: what is sent before the request arrives waits for it.
class StreamHandle {
 public:
  StreamHandle();

  /// Each Send is one HTTP chunk.
  void Send(std::string bytes) const;
  /// The proper end of the body; the connection stays for the next request.
  void Close() const;
  /// The connection is closed (FIN) without the body's end.
  void Cut() const;
  /// As Cut, after the header of a chunk of `announced` bytes and only `bytes` of it.
  void CutInsideChunk(std::string bytes, std::size_t announced) const;
  /// The connection is reset (RST) without the body's end.
  void Abort() const;

  /// The response's header has been sent.
  bool AwaitOpen(std::chrono::milliseconds timeout = kPatience) const;
  /// All that was sent so far is with the kernel.
  bool AwaitSent(std::chrono::milliseconds timeout = kPatience) const;
  /// The stream is over, by whichever side.
  bool AwaitEnd(std::chrono::milliseconds timeout = kPatience) const;
  /// The stream is over because the client went away (or the server was stopped).
  bool AwaitClientGone(std::chrono::milliseconds timeout = kPatience) const;

 private:
  friend struct Reply;
  struct State;
  std::shared_ptr<State> state_;
};

/// Holds replies back until the test opens it. Copies are the same gate. Thread-safe.
class Gate {
 public:
  Gate();
  void Open() const;
  /// At least n replies wait.
  bool AwaitWaiting(std::size_t n, std::chrono::milliseconds timeout = kPatience) const;

 private:
  friend struct Reply;
  struct State;
  std::shared_ptr<State> state_;
};

/// What the server answers.
struct Reply {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  std::string content_type = "application/json";
  /// In place of `body`: called once, sent with chunked encoding. Returning false cuts the connection without the
  /// body's end.
  std::function<bool(BodyWriter&)> stream = {};
  /// Called before the reply is written; may hold it back (see BodyWriter::Wait). False: no reply, the connection is
  /// closed.
  std::function<bool(BodyWriter&)> before = {};
  /// In place of everything: these bytes, then the connection is closed. For answers that are not HTTP.
  std::optional<std::string> raw = {};
  /// The connection is closed after the reply.
  bool close = false;

  static Reply Json(std::string body, int status = 200);
  static Reply Stream(const StreamHandle& handle);
  /// A Kubernetes Status object of that code.
  static Reply Status(int code, const std::string& reason, const std::string& message = "");
  /// No answer: the connection is closed, or reset.
  static Reply Nothing(bool reset = false);

  /// This reply, not written before the gate is open.
  Reply Behind(const Gate& gate) const;
};

struct ScriptedServerOptions {
  bool tls = false;
  /// Who signs the server's certificate. Null: an own one, see ca_pem().
  const TestCa* ca = nullptr;
  ServerCertificateOptions certificate = {};
  /// Clients' certificates are asked for and checked against this one when not empty.
  std::string client_ca_pem = {};
  /// A client without a certificate fails the handshake.
  bool require_client_certificate = false;
};

/// An HTTP/1.1 server on 127.0.0.1 that answers what a test says.
///
/// It answers, in this order: what was enqueued, what the handler says, 404 with a Status object. Connections stay open
/// until the client closes them; each has a thread. Nothing compresses, nothing times out. A request line or a header
/// of more than 8 KB is refused (cpp-httplib's limit). The destructor breaks every
/// open connection and joins every thread without delay, unless a handler of the test's own blocks.
class ScriptedServer {
 public:
  using Handler = std::function<Reply(const ReceivedRequest&)>;

  explicit ScriptedServer(ScriptedServerOptions options = {});
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  /// Called for each request, from several threads at once.
  void Handle(Handler handler);
  /// For the next request that no other enqueued reply takes.
  void Enqueue(Reply reply);

  int port() const;
  /// "https://127.0.0.1:port" or "http://…".
  std::string url() const;
  /// The CA that signed the server's certificate; empty without TLS, or when it was given in the options.
  std::string ca_pem() const;

  std::vector<ReceivedRequest> Requests() const;
  /// At least n requests have arrived, header and body.
  bool AwaitRequests(std::size_t n, std::chrono::milliseconds timeout = kPatience) const;
  /// Connections accepted so far, and those open now.
  std::size_t connections() const;
  std::size_t open_connections() const;
  /// Exactly n connections are open.
  bool AwaitOpenConnections(std::size_t n, std::chrono::milliseconds timeout = kPatience) const;
  /// Resets every open connection; new ones are served.
  void ResetConnections();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::testing_support

#endif  // KINFORMER_TEST_SUPPORT_SCRIPTED_SERVER_H_
