// error: nodiscard|warn-unused|unused-result
#include <kinformer/base/result.h>

kinformer::Result<void> Write();

void Work() {
#ifdef WRONG
#pragma GCC diagnostic error "-Wunused-result"
  Write();
#else
  (void)Write();
#endif
}
