#ifndef KINFORMER_TEST_INFORMER_HTTPS_TEST_SERVER_H_
#define KINFORMER_TEST_INFORMER_HTTPS_TEST_SERVER_H_

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <kinformer/apiserver/api_server.h>
#include <kinformer/base/fake_clock.h>
#include <kinformer/client/client.h>
#include <kinformer/testing/api_server.h>

#include "src/base/mutex.h"
#include "test/informer/informer_test_server.h"

namespace kinformer {

/// An API server behind TLS. Informers use their own client, as user alice; the test's writes use the administrator's.
/// The server's clock stands still, except where functions here advance it.
class HttpsTestServer final : public InformerTestServer {
 public:
  explicit HttpsTestServer(InformerTestServerOptions options);

  std::shared_ptr<ListerWatcher> Source(const std::string& namespace_name) override;
  std::string Put(const std::string& name, const std::string& value, const std::string& namespace_name) override;
  void Remove(const std::string& name, const std::string& namespace_name) override;
  std::string Tick() override;
  void SendBookmark() override;
  void EndWatch(WatchEnding ending) override;
  void Compact() override;
  void Forbid(const std::string& namespace_name) override;
  void Permit(const std::string& namespace_name) override;
  void RemoveKind() override;
  void RestoreKind() override;
  void FailAList() override;
  void FailAWatch(bool throttled) override;
  void RepeatAnEvent() override;
  Content Objects(const std::string& namespace_name) override;
  std::size_t Requests(const std::string& namespace_name) override;
  bool AwaitOpenWatches(std::size_t count) override;

 private:
  /// The authorizer; the server calls it for each request.
  class Gate {
   public:
    AccessAnswer Ask(const AccessRequest& request);
    void Forbid(const std::string& namespace_name);
    void Permit(const std::string& namespace_name);
    std::size_t Requests(const std::string& namespace_name) const;

   private:
    mutable Mutex mutex_;
    std::set<std::string> forbidden_ KINFORMER_GUARDED_BY(mutex_);
    std::map<std::string, std::size_t> requests_ KINFORMER_GUARDED_BY(mutex_);
  };

  ApiServerOptions ServerOptions() const;
  ResourceClient ConfigMaps() const;
  Faults::Id AddFault(const Fault& fault);

  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  const std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
  testing::ApiServer server_;
  const Client administrator_;
  const Client alice_;
  std::atomic<Faults::Id> kind_removed_ = 0;
};

}  // namespace kinformer

#endif  // KINFORMER_TEST_INFORMER_HTTPS_TEST_SERVER_H_
