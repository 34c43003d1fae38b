import { createApp } from "vue";
import axios from "axios";

// TODO: lazy loading
const app = createApp({});
console.log("mounted");
app.mount("#app");
