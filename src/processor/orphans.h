#ifndef KINFORMER_SRC_PROCESSOR_ORPHANS_H_
#define KINFORMER_SRC_PROCESSOR_ORPHANS_H_

#include <memory>
#include <vector>

#include <kinformer/base/mutex.h>

#include "src/processor/processor_listener.h"

namespace kinformer::internal {

/// Listeners whose processor was destroyed where their thread could not be joined: inside their own handler, or inside
/// one for which theirs waits. They are told to end already; the next processor that is made, destroyed or given a
/// handler joins them, or the end of the process.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class Orphans {
 public:
  Orphans() = default;
  ~Orphans();
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;

  void Adopt(std::vector<std::shared_ptr<ProcessorListener>> listeners);
  /// Joins those that have ended; waits for nobody's code.
  void JoinEnded();

  static Orphans& OfProcess();

 private:
  Mutex mutex_;
  std::vector<std::shared_ptr<ProcessorListener>> listeners_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_PROCESSOR_ORPHANS_H_
