// error: use of deleted|call to deleted
#include <kinformer/views/core_v1.h>

kinformer::Value Image(const kinformer::core::v1::Pod& pod) {
#ifdef WRONG
  return pod.Spec().At("/nodeName");
#else
  return pod.At("/spec/nodeName");
#endif
}
