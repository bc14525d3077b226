#ifndef KINFORMER_SRC_INFORMER_PRIVATE_INFORMER_H_
#define KINFORMER_SRC_INFORMER_PRIVATE_INFORMER_H_

#include <memory>
#include <string>

#include <kinformer/base/clock.h>
#include <kinformer/client/resource_client.h>
#include <kinformer/client/selection.h>
#include <kinformer/informer/shared_informer.h>

#include "src/base/task_pool.h"

namespace kinformer::internal {

struct PrivateInformerOptions {
  /// The name in messages.
  std::string name{};
  std::shared_ptr<const Clock> clock = Clock::System();
};

/// A running informer outside of any factory, with a thread of its own, for a few objects and a short time. Uses plain
/// lists, which every server supports: streaming a few objects saves nothing.
class PrivateInformer {
 public:
  /// Starts the thread and the informer.
  PrivateInformer(const ResourceClient& client, const Selection& selection, const PrivateInformerOptions& options);

  const SharedInformer& informer() const { return informer_; }

 private:
  const std::shared_ptr<TaskPool> pool_;  ///< Joined after the informer has ended.
  const SharedInformer informer_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_INFORMER_PRIVATE_INFORMER_H_
