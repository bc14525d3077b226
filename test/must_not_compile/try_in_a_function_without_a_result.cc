// error: cannot convert .*Error|no viable conversion from returned value of type .*Error
#include <kinformer/base/try.h>

kinformer::Result<void> Write();

#ifdef WRONG
int Work() {
#else
kinformer::Result<int> Work() {
#endif
  KI_TRY(Write());
  return 1;
}
