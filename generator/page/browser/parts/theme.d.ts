/** Lets the button choose between light and dark. The choice holds for the other pages, where the browser keeps it. */
export declare function addTheme(): void;
