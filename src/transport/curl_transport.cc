#include "src/transport/curl_transport.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "src/transport/curl_loop.h"
#include "src/transport/curl_transfer.h"
#include "src/transport/url.h"

namespace kinformer::internal {
namespace {

/// The consumer's end of a response.
class CurlStream final : public ResponseStream {
 public:
  CurlStream(std::shared_ptr<CurlLoop> loop, std::shared_ptr<Exchange> exchange, std::uint64_t id)
      : loop_(std::move(loop)), exchange_(std::move(exchange)), id_(id) {}
  ~CurlStream() override {
    exchange_->NotifyWhenReady(nullptr);
    if (loop_) loop_->Cancel(id_);
  }
  CurlStream(const CurlStream&) = delete;
  CurlStream& operator=(const CurlStream&) = delete;

  Result<std::optional<ResponsePart>> TryNext() override {
    Result<Exchange::Taken> taken = exchange_->TryNext();
    if (!taken) return std::move(taken).error();
    if (taken->resume) loop_->Continue(id_);
    return std::move(taken->part);
  }

  void NotifyWhenReady(std::function<void()> ready) override {
    // Kept alive here: `ready` may run immediately and destroy this stream.
    const std::shared_ptr<Exchange> exchange = exchange_;
    exchange->NotifyWhenReady(std::move(ready));
  }
  void Recycle(std::string chunk) override { exchange_->Recycle(std::move(chunk)); }

 private:
  std::shared_ptr<CurlLoop> loop_;
  std::shared_ptr<Exchange> exchange_;
  std::uint64_t id_;
};

}  // namespace

Result<std::unique_ptr<CurlTransport>> CurlTransport::Create(CurlTransportOptions options) {
  Result<Endpoint> endpoint = Endpoint::Parse(options.server);
  if (!endpoint) return std::move(endpoint).error();
  if (!options.proxy_url.empty()) {
    if (Result<void> checked = CheckProxyUrl(options.proxy_url); !checked) {
      return Annotate(std::move(checked).error(), "proxy URL");
    }
  }
  auto loop = std::make_shared<CurlLoop>(std::move(options), *std::move(endpoint));
  loop->StartThread();
  return std::unique_ptr<CurlTransport>(new CurlTransport(std::move(loop)));
}

CurlTransport::CurlTransport(std::shared_ptr<CurlLoop> loop) : loop_(std::move(loop)) {}

CurlTransport::~CurlTransport() { loop_->Stop(); }

std::unique_ptr<ResponseStream> CurlTransport::Start(Request request) {
  auto exchange = std::make_shared<Exchange>(loop_->options().queue_bytes);
  if (Result<void> checked = CheckRequest(request); !checked) {
    exchange->Finish(std::move(checked));
    return std::make_unique<CurlStream>(nullptr, std::move(exchange), 0);
  }
  const std::uint64_t id = loop_->Start(std::move(request), exchange);
  return std::make_unique<CurlStream>(loop_, std::move(exchange), id);
}

CurlTransportStats CurlTransport::Stats() const { return loop_->Stats(); }

}  // namespace kinformer::internal
