#ifndef KINFORMER_SRC_TRANSPORT_CURL_TRANSFER_H_
#define KINFORMER_SRC_TRANSPORT_CURL_TRANSFER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cpr/session.h>
#include <curl/curl.h>

#include <kinformer/base/clock.h>
#include <kinformer/transport/tls_material.h>
#include <kinformer/transport/transport.h>

#include "src/transport/curl_transport.h"
#include "src/transport/endpoint.h"
#include "src/transport/exchange.h"

namespace kinformer::internal {

class CurlTransfer;

/// What a transfer reports to the loop that drives it, from inside libcurl's callbacks.
class TransferObserver {
 public:
  virtual ~TransferObserver() = default;
  /// The request is about to be sent on the connection with this local port.
  virtual void OnConnection(CurlTransfer& transfer, int local_port) = 0;
  virtual void OnBytes(CurlTransfer& transfer) = 0;
  /// A response began, over HTTP/1.x or over a protocol that multiplexes requests on a connection.
  virtual void OnHead(bool http1) = 0;
  virtual void OnPaused(CurlTransfer& transfer) = 0;
};

/// kInvalidArgument for anything that would change the meaning of an HTTP/1.1 request: control characters in method,
/// target or headers.
Result<void> CheckRequest(const Request& request);

/// One request as a cpr::Session with our options, whose response goes into an Exchange.
///
/// Constructed on the caller's thread; afterwards used by the I/O thread only.
class CurlTransfer {
 public:
  CurlTransfer(Request request, const Endpoint& endpoint, const CurlTransportOptions& options,
               std::shared_ptr<Exchange> exchange);
  ~CurlTransfer();
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  CURL* handle() const { return handle_; }
  /// The transfer of such a handle.
  static CurlTransfer& Of(CURL* handle);
  const Request& request() const { return request_; }
  TimePoint begun() const { return begun_; }
  Exchange& exchange() const { return *exchange_; }
  /// Precondition: begun.
  TransferObserver& observer() const { return *observer_; }
  const std::shared_ptr<const TlsMaterial>& tls() const { return request_.tls; }

  /// Its time limits start here.
  void Begin(TransferObserver& observer, TimePoint now);
  void Continue();  ///< The reader has made room again.
  /// Reports the outcome to the reader. `lost` replaces libcurl's error if we ended the connection ourselves.
  void Finish(CURLcode code, const std::optional<Error>& lost);

  /// The earliest of its time limits, if any.
  std::optional<TimePoint> Deadline() const;
  Error DeadlineError() const;

  // State of the loop.
  std::uint64_t id = 0;
  std::uint64_t connection = 0;  ///< 0 until it has one.
  std::uint64_t probe_for = 0;   ///< For a probe: the suspect connection.
  bool shares = false;           ///< It may only use an existing connection...
  bool refused_socket = false;   ///< ...but libcurl wanted to open another one.
  bool paused = false;
  TimePoint last_byte{};

 private:
  void Configure(const Endpoint& endpoint, const CurlTransportOptions& options);
  void ConfigureTls(const CurlTransportOptions& options);
  std::size_t OnHeaderLine(std::string_view line);
  bool TakeHeader(std::string_view name, std::string_view value);
  std::size_t OnBody(std::string_view bytes);
  Error ErrorOf(CURLcode code);

  static std::size_t HeaderCallback(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t WriteCallback(char* data, std::size_t size, std::size_t count, void* self);
  static int PrerequestCallback(void* self, char* primary_ip, char* local_ip, int primary_port, int local_port);

  Request request_;
  std::shared_ptr<Exchange> exchange_;
  std::string server_;  ///< For messages.
  const std::size_t max_header_bytes_;
  const std::chrono::milliseconds connect_timeout_;
  cpr::Session session_;
  CURL* handle_;
  curl_slist* headers_ = nullptr;
  curl_slist* connect_to_ = nullptr;
  TransferObserver* observer_ = nullptr;
  TimePoint begun_{};

  ResponseHead head_;
  std::size_t header_bytes_ = 0;
  bool head_done_ = false;
  bool header_overflow_ = false;
  bool bad_length_ = false;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_TRANSPORT_CURL_TRANSFER_H_
