#ifndef KINFORMER_BENCH_KINFORMER_LOAD_WORK_NAMESPACE_H_
#define KINFORMER_BENCH_KINFORMER_LOAD_WORK_NAMESPACE_H_

#include <chrono>
#include <memory>
#include <string>

#include <kinformer/base/result.h>

#include "bench/kinformer_load/target.h"

namespace kinformer::bench {

/// A namespace for one run. Unless kept, it is deleted together with its objects of the one resource. In a server
/// without controllers the deletion of the namespace itself is never completed, which is harmless.
class WorkNamespace {
 public:
  /// The target must outlive it.
  static Result<std::unique_ptr<WorkNamespace>> Create(const Target& target, const std::string& resource, bool keep,
                                                       std::chrono::seconds timeout);
  ~WorkNamespace();
  WorkNamespace(const WorkNamespace&) = delete;
  WorkNamespace& operator=(const WorkNamespace&) = delete;

  /// The path of the resource in this namespace.
  const std::string& path() const { return path_; }
  /// The resourceVersion to watch from.
  const std::string& version() const { return version_; }

 private:
  WorkNamespace(const Target& target, const std::string& name, const std::string& resource, bool keep,
                std::chrono::seconds timeout)
      : target_(target),
        namespace_path_("/api/v1/namespaces/" + name),
        path_(namespace_path_ + "/" + resource),
        keep_(keep),
        timeout_(timeout) {}

  const Target& target_;
  const std::string namespace_path_;
  const std::string path_;
  const bool keep_;
  const std::chrono::seconds timeout_;
  std::string version_;
};

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_LOAD_WORK_NAMESPACE_H_
