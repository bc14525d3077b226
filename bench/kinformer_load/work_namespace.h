#ifndef KINFORMER_BENCH_KINFORMER_LOAD_WORK_NAMESPACE_H_
#define KINFORMER_BENCH_KINFORMER_LOAD_WORK_NAMESPACE_H_

#include <memory>
#include <string>

#include <kinformer/kinformer.h>

namespace kinformer::bench {

/// A namespace for one run. Its objects of one resource are deleted with it; that nobody finishes the deletion of the
/// namespace itself, in a server without controllers, is no matter.
class WorkNamespace {
 public:
  static Result<std::unique_ptr<WorkNamespace>> Create(const Client& client, const Resource& resource);
  ~WorkNamespace();
  WorkNamespace(const WorkNamespace&) = delete;
  WorkNamespace& operator=(const WorkNamespace&) = delete;

  const std::string& name() const { return name_; }
  /// Of the resource in it.
  std::string Path() const { return "/api/v1/namespaces/" + name_ + "/" + resource_.gvr.resource; }

 private:
  WorkNamespace(const Client& client, Resource resource, std::string name)
      : client_(client), resource_(std::move(resource)), name_(std::move(name)) {}

  const Client client_;
  const Resource resource_;
  const std::string name_;
};

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_LOAD_WORK_NAMESPACE_H_
