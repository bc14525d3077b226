#ifndef KINFORMER_TEST_INFORMER_IN_MEMORY_TEST_SERVER_H_
#define KINFORMER_TEST_INFORMER_IN_MEMORY_TEST_SERVER_H_

#include <map>
#include <memory>
#include <string>

#include "test/informer/informer_test_server.h"
#include "test/informer/model_server.h"

namespace kinformer {

/// A ModelServer per namespace. All effects have happened when a call returns.
class InMemoryTestServer final : public InformerTestServer {
 public:
  explicit InMemoryTestServer(InformerTestServerOptions options);

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
  std::map<std::string, std::shared_ptr<ModelServer>> namespaces_;  ///< Never changes.
};

}  // namespace kinformer

#endif  // KINFORMER_TEST_INFORMER_IN_MEMORY_TEST_SERVER_H_
