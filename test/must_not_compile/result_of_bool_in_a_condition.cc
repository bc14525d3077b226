// error: deleted function
#include <kinformer/base/result.h>

kinformer::Result<bool> IsReady();

int Ask() {
  const kinformer::Result<bool> ready = IsReady();
#ifdef WRONG
  if (ready) return 1;
#else
  if (ready.ok() && *ready) return 1;
#endif
  return 0;
}
